import type { GridColumn, GridRow } from './grid-source.ts'

const NARROWEST = 56
const WIDEST = 900
/** Approximate widths in pixels: a character, a cell's padding, and a header's buttons. */
const CHARACTER = 7.4
/** In running text, on average. */
const LETTER = 6.8
const CELL = 26
const HEADER = 72
/** Maximum initial width of a column where others need the room; users can make it wider. */
const FIRST_WIDEST = 320
/** Of a text, as far as its width counts. */
const MOST_CHARACTERS = 400
/** Digits all have the same width here, and it is more than that of most letters. */
const DIGIT = 1.18
const MOST_LINES = 4

/**
 * The width of each column in pixels: chosen by the user, or what its label and first rows need. What is left of `room`
 * (pixels) goes to the columns whose texts would be cut off otherwise.
 */
export function columnWidths(
  columns: readonly GridColumn[],
  rows: readonly GridRow[],
  format: (row: GridRow, column: GridColumn) => string,
  chosen: Readonly<Record<string, number>>,
  room: number,
): readonly number[] {
  const wanted = columns.map((column) => {
    const own = chosen[column.key]
    if (own !== undefined) return clampWidth(own)
    const longest = rows.reduce((most, row) => Math.max(most, textWidth(format(row, column), MOST_CHARACTERS)), 0)
    const needed = Math.max(textWidth(column.label) * CHARACTER + HEADER, longest * CHARACTER + CELL)
    return Math.round(Math.max(NARROWEST + 16, needed))
  })
  const widths = columns.map(({ key }, at) => (key in chosen ? wanted[at]! : Math.min(FIRST_WIDEST, wanted[at]!)))
  return withSpare(widths, wanted, room)
}

/** Shares what is left of the room among the columns that want more, the most modest first. */
function withSpare(widths: readonly number[], wanted: readonly number[], room: number): readonly number[] {
  let spare = room - widths.reduce((sum, width) => sum + width, 0)
  const filled = [...widths]
  const missing = (at: number): number => wanted[at]! - widths[at]!
  const cut = [...widths.keys()].filter((at) => missing(at) > 0).toSorted((a, b) => missing(a) - missing(b))
  for (const [done, at] of cut.entries()) {
    const more = Math.max(0, Math.min(missing(at), Math.floor(spare / (cut.length - done))))
    filled[at] = widths[at]! + more
    spare -= more
  }
  return filled
}

/** Lines that the longest of these cells takes when it wraps, at most as many as a cell shows. */
export function wrappedLines(
  columns: readonly GridColumn[],
  rows: readonly GridRow[],
  format: (row: GridRow, column: GridColumn) => string,
  widths: readonly number[],
): number {
  let lines = 1
  for (const [at, column] of columns.entries()) {
    const fitting = Math.max(1, ((widths[at] ?? 0) - CELL) / LETTER)
    for (const row of rows) {
      const text = format(row, column)
      const needed = text
        .split('\n', MOST_LINES)
        .reduce((sum, line) => sum + Math.ceil(textWidth(line, MOST_CHARACTERS) / fitting), 0)
      lines = Math.max(lines, needed)
    }
  }
  return Math.min(MOST_LINES, lines)
}

export function clampWidth(width: number): number {
  return Math.round(Math.min(WIDEST, Math.max(NARROWEST, width)))
}

/** In characters; East Asian ones count double. */
function textWidth(text: string, most = 60): number {
  let width = 0
  for (const character of text.slice(0, most)) {
    const code = character.codePointAt(0) ?? 0
    width += code >= 0x1100 ? 2 : code >= 0x30 && code <= 0x39 ? DIGIT : 1
  }
  return width
}

/** The columns between two horizontal scroll positions: the first, the last (inclusive), and where the first starts. */
export function columnsInSight(widths: readonly number[], from: number, to: number) {
  let start = 0
  let first = 0
  while (first < widths.length - 1 && start + widths[first]! <= from) start += widths[first++]!
  let last = first
  let end = start + (widths[first] ?? 0)
  while (last < widths.length - 1 && end < to) end += widths[++last]!
  return { first, last, start }
}
