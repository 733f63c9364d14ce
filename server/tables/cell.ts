import type { Cast, PreparedColumn, TableCell } from './table-shape.ts'

/** The text of a cell as what is shown: only what keeps every digit becomes a number. */
function cellOf(text: string | null, cast: Cast): TableCell {
  if (text === null) return null
  switch (cast.kind) {
    case 'text':
      return text
    case 'integer':
      return exactInteger(text)
    case 'number':
      return exactNumber(cast.comma ? text.replace(',', '.') : text)
    case 'boolean':
      return text.toLowerCase() === 'true'
    case 'date':
      return cast.format === null ? text.replaceAll('/', '-') : isoDate(text, cast.format)
    case 'datetime':
      if (cast.format !== null) return `${isoDate(text.slice(0, 10), cast.format)}T${text.slice(11)}`
      return cast.zoned ? instant(text) : text.replace(' ', 'T')
  }
}

/** A row of texts as cells by the keys of its columns. */
export function rowOf(texts: readonly unknown[], columns: readonly PreparedColumn[]): Record<string, TableCell> {
  const cells: Record<string, TableCell> = {}
  for (const [i, { key, cast }] of columns.entries()) cells[key] = cellOf(texts[i] as string | null, cast)
  return cells
}

export function exactInteger(text: string): number | string {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : text
}

/** 15 digits survive a double; more only if it says so itself. */
export function exactNumber(text: string): number | string {
  const value = Number(text)
  if (!Number.isFinite(value)) return text
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/[^0-9]/g, '')
    .replace(/^0+/, '')
  return digits.length <= 15 || String(value) === text ? value : text
}

/** Day, month and year by their places in a format of ten characters. */
function isoDate(text: string, format: string): string {
  const dayFirst = format.startsWith('%d')
  const [first, second] = [text.slice(0, 2), text.slice(3, 5)]
  return `${text.slice(6, 10)}-${dayFirst ? second : first}-${dayFirst ? first : second}`
}

function instant(text: string): string {
  const time = new Date(text.replace(' ', 'T').replace(/([+-]\d{2})$/, '$1:00'))
  return Number.isNaN(time.getTime()) ? text : time.toISOString()
}
