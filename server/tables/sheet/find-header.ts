import { CELL, type SheetRow } from './cell-kind.ts'

export interface SheetHead {
  /** Rows before the table: titles above it. */
  readonly skip: number
  /** Whether the next row holds the labels. */
  readonly header: boolean
}

const TITLES = 10

/**
 * Where the table begins in a sheet, from its first rows. Titles are rows of a single text above a row of labels.
 * Labels are texts above other types; when everything is text, the first row is taken for labels if none of its values
 * recurs below.
 */
export function findHeader(rows: readonly SheetRow[]): SheetHead {
  const widest = Math.max(...rows.map(filled))
  let skip = 0
  if (widest > 1) {
    while (skip < TITLES && skip < rows.length && isTitle(rows[skip]!)) skip++
    const labels = rows[skip]
    if (labels === undefined || filled(labels) * 2 < widest || !isHeader(labels, rows.slice(skip + 1))) skip = 0
  }
  const first = rows[skip]
  return { skip, header: first !== undefined && isHeader(first, rows.slice(skip + 1)) }
}

function isTitle(row: SheetRow): boolean {
  return filled(row) === 1 && row.kinds.includes(CELL.text)
}

function filled({ texts }: SheetRow): number {
  let count = 0
  for (const text of texts) if (text !== null) count++
  return count
}

function isHeader(first: SheetRow, others: readonly SheetRow[]): boolean {
  let texts = 0
  let alike = false
  for (const [i, text] of first.texts.entries()) {
    if (text === null) continue
    const kind = first.kinds[i]!
    const below = new Set(others.map(({ kinds }) => kinds[i] ?? 0))
    below.delete(0)
    if (kind === CELL.text) {
      texts++
      if (below.size > 0 && !below.has(CELL.text)) return true
    } else if (kind === CELL.boolean || kind === CELL.error || kind === CELL.time) return false
    // A number above numbers is data, unless it is a year: years are common labels.
    else if (!isYear(text) && (below.size === 0 || (below.size === 1 && below.has(kind)))) alike = true
  }
  if (alike || texts === 0) return false
  return !first.texts.some((text, i) => text !== null && others.some((row) => row.texts[i] === text))
}

function isYear(text: string): boolean {
  return /^(19|20)\d\d$/.test(text)
}
