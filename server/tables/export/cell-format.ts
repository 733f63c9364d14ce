import type { ExportType } from '../shape/export-plan.ts'

/** How the cells of a column are written. `code` is a spreadsheet number format; numbers are divided by `divisor`. */
export type CellFormat =
  | { readonly kind: 'text' | 'boolean' | 'date' | 'datetime' }
  | { readonly kind: 'number'; readonly code: string; readonly divisor: number }

const GENERAL = 'General'
const PERCENT = 100
/** Durations are in milliseconds, and a day is 1. */
const DAY = 86_400_000
const DECIMALS_LIMIT = 15
const BYTES = '[>=1000000000]0.0,,," GB";[>=1000000]0.0,," MB";0.0," kB"'

/** The format of a column for which none is requested. `scale`: digits after the decimal point of its numbers. */
export function formatOfType(type: ExportType, scale: number | null): CellFormat {
  switch (type) {
    case 'integer':
      return number('0')
    case 'number':
      return number(scale === null || scale > DECIMALS_LIMIT ? GENERAL : `0${fraction(scale)}`)
    case 'percent':
    case 'bytes':
    case 'duration':
      return parseFormat(type)!
    default:
      return { kind: type }
  }
}

/**
 * Parses a format name: `text`, `boolean`, `integer`, `number`, `percent` (of 0–100), `date`, `datetime`, `bytes`,
 * `duration` (milliseconds), `currency` or a code such as `EUR`; with decimals, `number:2`, `percent:1` and
 * `currency:EUR:0`. Null: none of these.
 */
export function parseFormat(text: string): CellFormat | null {
  const [name = '', ...options] = text.trim().split(':')
  const kind = name.toLowerCase()
  if (/^[A-Z]{3}$/.test(name)) return currency(name, options[0])
  if (kind === 'currency') {
    const [first = '', second] = options
    return /^[a-z]{3}$/i.test(first) ? currency(first.toUpperCase(), second) : currency(null, options[0])
  }
  const decimals = digits(options[0])
  if (options.length > 1 || decimals === null) return null
  switch (kind) {
    case 'text':
    case 'boolean':
    case 'date':
    case 'datetime':
      return { kind }
    case 'integer':
      return number('#,##0')
    case 'number':
      return number(decimals === undefined ? '#,##0.00' : `#,##0${fraction(decimals)}`)
    case 'percent':
      return number(decimals === undefined ? '0.0%' : `0${fraction(decimals)}%`, PERCENT)
    case 'bytes':
      return number(BYTES)
    case 'duration':
      return number('[h]:mm:ss', DAY)
    default:
      return null
  }
}

function currency(code: string | null, option: string | undefined): CellFormat | null {
  const decimals = digits(option)
  if (decimals === null) return null
  const places = decimals ?? (code === null ? 2 : usualDecimals(code))
  return number(`#,##0${fraction(places)}${code === null ? '' : ` [$${code}]`}`)
}

/** Two for most currencies, none for yen. */
function usualDecimals(code: string): number {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: code,
  }).resolvedOptions()
  return maximumFractionDigits
}

/** Undefined: not given; null: not a number of digits. */
function digits(text: string | undefined): number | null | undefined {
  if (text === undefined || text === '') return undefined
  return /^\d{1,2}$/.test(text) && Number(text) <= DECIMALS_LIMIT ? Number(text) : null
}

function fraction(places: number): string {
  return places === 0 ? '' : `.${'0'.repeat(places)}`
}

function number(code: string, divisor = 1): CellFormat {
  return { kind: 'number', code, divisor }
}
