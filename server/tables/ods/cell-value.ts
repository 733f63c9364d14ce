import { CELL, type CellKind } from '../sheet/cell-kind.ts'
import { clock } from '../sheet/clock.ts'
import { numberText } from '../sheet/number-text.ts'

export interface CellValue {
  readonly text: string | null
  readonly kind: CellKind
}

/** The value of an OpenDocument cell: `attributes` by their usual names, `text` that of its paragraphs. */
export function cellValue(attributes: ReadonlyMap<string, string>, text: string | null): CellValue {
  if (attributes.get('calcext:value-type') === 'error') return { text: text ?? '#ERROR', kind: CELL.error }
  const value = attributes.get('office:value') ?? ''
  switch (attributes.get('office:value-type')) {
    case 'float':
    case 'percentage':
    case 'currency': {
      const number = numberText(value)
      return number === null ? asText(text) : { text: number, kind: CELL.number }
    }
    case 'date':
      return dateValue(attributes.get('office:date-value') ?? '') ?? asText(text)
    case 'time':
      return timeValue(attributes.get('office:time-value') ?? '') ?? asText(text)
    case 'boolean': {
      const given = attributes.get('office:boolean-value')
      return given === 'true' || given === 'false' ? { text: given, kind: CELL.boolean } : asText(text)
    }
    default:
      return asText(attributes.get('office:string-value') ?? text)
  }
}

function asText(text: string | null): CellValue {
  return { text, kind: CELL.text }
}

/** `2026-01-31`, optionally followed by a time. */
function dateValue(given: string): CellValue | null {
  const parts = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})([.,]\d{1,9})?)?Z?$/.exec(given.trim())
  if (parts === null) return null
  const [, day, time, fraction = ''] = parts
  if (time === undefined) return { text: day!, kind: CELL.date }
  const rest = fraction.slice(1, 4).replace(/0+$/, '')
  return { text: `${day}T${time}${rest === '' ? '' : `.${rest.padEnd(3, '0')}`}`, kind: CELL.datetime }
}

/** `PT26H30M00S`: hours continue beyond 24. */
function timeValue(given: string): CellValue | null {
  const parts = /^(-)?P(?:(\d{1,9})D)?T?(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:[.,]\d{1,9})?)S)?$/.exec(
    given.trim(),
  )
  if (parts === null) return null
  const [, sign = '', days = 0, hours = 0, minutes = 0, seconds = '0'] = parts
  const whole = (Number(days) * 24 + Number(hours)) * 3600 + Number(minutes) * 60
  return { text: sign + clock(Math.round((whole + Number(seconds.replace(',', '.'))) * 1000)), kind: CELL.time }
}
