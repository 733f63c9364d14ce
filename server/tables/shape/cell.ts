import type { Cast, PreparedColumn, TableCell } from './table-shape.ts'

/** The engine's spellings of true and false. */
const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', '1'].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', '0'].map((word) => [word, false] as const),
])
const DATE = /^(\d{4}[-/]\d{2}[-/]\d{2}|\d{2}[./]\d{2}[./]\d{4})$/
/** Other languages than SQL write numbers in other bases. */
const DECIMAL = /^\s*[-+]?[\d.]+(e[-+]?\d+)?\s*$/i

/**
 * Converts the text of a cell to the value shown: only what keeps every digit becomes a number, and text that doesn't
 * fit a chosen type stays text.
 */
export function cellOf(text: string | null, cast: Cast): TableCell {
  if (text === null) return null
  switch (cast.kind) {
    case 'text':
      return text
    case 'integer':
      return exactInteger(text)
    case 'number':
      return exactNumber(numberText(text, cast))
    case 'boolean':
      return TRUTH.get(text.toLowerCase()) ?? text
    case 'date':
      if (!DATE.test(text)) return text
      return cast.format === null ? text.replaceAll('/', '-') : isoDate(text, cast.format)
    case 'datetime':
      if (cast.format !== null) return `${isoDate(text.slice(0, 10), cast.format)}T${text.slice(11)}`
      return cast.zoned ? instant(text) : text.replace(/^(\S{10}) /, '$1T')
  }
}

/** A row of texts as cells keyed by column. */
export function rowOf(texts: readonly unknown[], columns: readonly PreparedColumn[]): Record<string, TableCell> {
  const cells: Record<string, TableCell> = {}
  for (const [i, { key, cast }] of columns.entries()) cells[key] = cellOf(texts[i] as string | null, cast)
  return cells
}

/** The digits of a number with a point, as many as the file has. */
export function numberText(text: string, cast: Cast): string {
  return cast.kind === 'number' && cast.comma ? text.replace(',', '.') : text
}

/** A number if a double means exactly these digits and prints as them: all up to 2^53, and many beyond. */
export function exactInteger(text: string): number | string {
  if (!DECIMAL.test(text)) return text
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  return String(value) === text && /^-?\d+$/.test(text) && BigInt(value) === BigInt(text) ? value : text
}

/** 15 digits survive a double; more only if it prints them itself. */
export function exactNumber(text: string): number | string {
  if (!DECIMAL.test(text)) return text
  const value = Number(text)
  if (!Number.isFinite(value)) return text
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/[^0-9]/g, '')
    .replace(/^0+/, '')
  return digits.length <= 15 || String(value) === text ? value : text
}

/** Day, month and year by their positions in a format of ten characters. */
function isoDate(text: string, format: string): string {
  const dayFirst = format.startsWith('%d')
  const [first, second] = [text.slice(0, 2), text.slice(3, 5)]
  return `${text.slice(6, 10)}-${dayFirst ? second : first}-${dayFirst ? first : second}`
}

/** In UTC, keeping all digits of a second that are there: a Date keeps three of them. */
function instant(text: string): string {
  const parts = /^(.{10})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.(\d+))?(Z|[+-]\d{2}(?::?\d{2})?)$/i.exec(text)
  if (parts === null) return text
  const [, day, clock, fraction = '', zone = ''] = parts
  const offset = zone.replace(/^([+-]\d{2}):?(\d{2})?$/, (_all, hours: string, minutes = '00') => `${hours}:${minutes}`)
  const time = new Date(`${day}T${clock}${offset.toUpperCase()}`)
  return Number.isNaN(time.getTime()) ? text : time.toISOString().replace('.000Z', `.${fraction.padEnd(3, '0')}Z`)
}
