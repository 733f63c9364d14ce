import { cut } from '../../kernel/text/plain-text.ts'
import type { CellFormat } from './cell-format.ts'
import { STYLE, type CellStyles } from './cell-styles.ts'
import { CELL_LIMIT, type ExportColumn } from '../shape/export-plan.ts'
import { serialOf, serialTime } from './serial-time.ts'
import { xmlText } from './xml-text.ts'

/** Counts of the values that could not be written as they are, for the notices. */
export interface CellCounts {
  cut: number
  /** Days and times that spreadsheets cannot show, such as those before March 1900, written as text. */
  dates: number
  /** Numbers with more digits than spreadsheets keep, written as text. */
  long: number
}

/** A value as XML of a cell; `row` is the number in its address. Empty text for an empty value. */
export type CellWriter = (value: unknown, row: number) => string

/** Spreadsheets keep and show this many digits. */
const DIGITS = 15
const EXACT = 10 ** DIGITS
const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,3})?$/
/** What a program might take for a formula or a number when the cell is edited. */
const MISTAKABLE = /^[=+\-@\t\r\d.,]/
const SPACED = /^\s|\s$|[\n\t]/

/**
 * Returns the writer for the cells of one column. No value ever becomes a formula: text is always marked as text, and
 * whatever begins like a formula is also quoted, so that it stays text when a user edits the cell.
 */
export function cellWriter(
  column: ExportColumn,
  format: CellFormat,
  letters: string,
  { styles, counts }: { styles: CellStyles; counts: CellCounts },
): CellWriter {
  const { cast } = column
  const address = `<c r="${letters}`
  const text = (value: string, row: number): string => {
    if (value === '') return ''
    let shown = value
    if (value.length > CELL_LIMIT) {
      counts.cut++
      shown = cut(value, CELL_LIMIT)
    }
    const style = MISTAKABLE.test(shown) ? `${row}" s="${STYLE.guarded}` : row
    const space = SPACED.test(shown) ? ' xml:space="preserve"' : ''
    return `${address}${style}" t="inlineStr"><is><t${space}>${xmlText(shown)}</t></is></c>`
  }
  const styled = (value: number | string, row: number, style: number): string =>
    `${address}${row}${style === 0 ? '' : `" s="${style}`}"><v>${value}</v></c>`
  const boolean = (value: boolean, row: number): string => `${address}${row}" t="b"><v>${value ? 1 : 0}</v></c>`
  const other = (value: unknown, row: number): string => {
    if (typeof value === 'string') return text(value, row)
    if (typeof value === 'boolean') return boolean(value, row)
    if (typeof value === 'number') return number(value, row, 0, 1)
    return text(JSON.stringify(value) ?? '', row)
  }
  const number = (value: number, row: number, style: number, divisor: number): string => {
    if (!Number.isFinite(value)) return text(String(value), row)
    if (Number.isInteger(value) && Math.abs(value) >= EXACT && Math.abs(value) < 1e21) {
      counts.long++
      return text(String(value), row)
    }
    // Spreadsheets have no negative times.
    if (divisor > 100 && value < 0) return text(`-${clock(-value)}`, row)
    return styled(divisor === 1 ? value : value / divisor, row, style)
  }

  switch (format.kind) {
    case 'text':
      return (value, row) => {
        if (value === null || value === undefined) return ''
        return text(typeof value === 'string' ? value : plainText(value), row)
      }
    case 'boolean':
      return (value, row) => {
        if (value === null || value === undefined) return ''
        if (value === true || value === false) return boolean(value, row)
        const word = typeof value === 'string' && (cast === null || cast.kind === 'boolean') ? value.toLowerCase() : ''
        return word === 'true' || word === 'false' ? boolean(word === 'true', row) : other(value, row)
      }
    case 'number': {
      const style = styles.of(format.code)
      const { divisor } = format
      const comma = cast?.kind === 'number' && cast.comma
      const known = cast?.kind === 'integer' || cast?.kind === 'number'
      // What is in the file may be written as is.
      const copied = divisor === 1 && (cast?.kind === 'integer' || (cast?.kind === 'number' && cast.scale !== null))
      return (value, row) => {
        if (value === null || value === undefined) return ''
        if (typeof value === 'number') return number(value, row, style, divisor)
        if (typeof value !== 'string') return other(value, row)
        const digits = comma ? value.replace(',', '.') : value
        if (!known && !PLAIN_NUMBER.test(digits)) return text(value, row)
        if (digits.length > DIGITS && significant(digits) > DIGITS && String(Number(digits)) !== digits) {
          counts.long++
          return text(value, row)
        }
        return copied && digits.length <= DIGITS
          ? styled(digits, row, style)
          : number(Number(digits), row, style, divisor)
      }
    }
    case 'date':
    case 'datetime': {
      const day = format.kind === 'date'
      return (value, row) => {
        if (value === null || value === undefined) return ''
        if (typeof value === 'number') {
          const serial = serialOf(value)
          return serial === null ? number(value, row, 0, 1) : styled(serial, row, day ? STYLE.date : STYLE.datetime)
        }
        if (typeof value !== 'string') return other(value, row)
        const time = serialTime(isoText(value, column))
        if (time === null) {
          if (cast === null || cast.kind === 'date' || cast.kind === 'datetime') counts.dates++
          return text(value, row)
        }
        // A day alone is shown as a day: midnight would claim more than is known.
        if (day || time.day) return styled(time.serial, row, STYLE.date)
        return styled(time.serial, row, time.fraction ? STYLE.datetime_fraction : STYLE.datetime)
      }
    }
  }
}

/** The text of a stored date with its year first. */
function isoText(text: string, { cast }: ExportColumn): string {
  if ((cast?.kind !== 'date' && cast?.kind !== 'datetime') || cast.format === null) return text
  const dayFirst = cast.format.startsWith('%d')
  const [first, second] = [text.slice(0, 2), text.slice(3, 5)]
  return `${text.slice(6, 10)}-${dayFirst ? second : first}-${dayFirst ? first : second}${text.slice(10)}`
}

function significant(digits: string): number {
  return digits
    .replace(/[eE].*$/, '')
    .replace(/[^0-9]/g, '')
    .replace(/^0+/, '').length
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Milliseconds as hours, minutes and seconds. */
function clock(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const two = (n: number): string => String(n).padStart(2, '0')
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}
