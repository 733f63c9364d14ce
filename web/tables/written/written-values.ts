import type { GridCell, GridColumn } from '../grid/grid-source.ts'

/** What the cells of a column stand for. */
export interface WrittenColumn {
  readonly type: GridColumn['type']
  /** One for each cell; null where a column of numbers or dates has none. */
  readonly values: readonly GridCell[]
  /** The currency of its amounts, for exports. */
  readonly currency?: string | undefined
}

type Read = (text: string) => GridCell | undefined
interface Reading {
  readonly type: GridColumn['type']
  readonly read: Read
  readonly currency?: string | undefined
}

const NOTHING = /^(?:[-–—]|n\/a)?$/i

/** Reads the cells of a column written as text: numbers, amounts, dates …, as far as every cell agrees; else text. */
export function readWritten(cells: readonly string[]): WrittenColumn {
  const filled = cells.filter((cell) => !NOTHING.test(cell))
  const reading = filled.length === 0 ? undefined : readings(filled).find(({ read }) => all(filled, read))
  if (reading === undefined) return { type: 'text', values: cells }
  const { type, currency, read } = reading
  const values = cells.map((cell) => (NOTHING.test(cell) ? null : (read(cell) ?? null)))
  const fraction = type === 'number' && values.some((value) => typeof value === 'number' && !Number.isInteger(value))
  return { type: type === 'number' && !fraction && currency === undefined ? 'integer' : type, values, currency }
}

function all(cells: readonly string[], read: Read): boolean {
  return cells.every((cell) => read(cell) !== undefined)
}

/** The ways that suit the first cell, in order of preference. */
function readings(cells: readonly string[]): readonly Reading[] {
  const [first = ''] = cells
  if (/^\d{4}-\d{2}-\d{2}/.test(first)) return [isoDate, isoTime]
  if (/^\d{1,2}[./]\d{1,2}[./]\d{4}$/.test(first)) return writtenDates(cells)
  if (/[kMGTP]?i?B$/i.test(first)) return [{ type: 'bytes', read: readBytes }]
  if (/[a-z]$/.test(first)) return [{ type: 'duration', read: readDuration }]
  const style = numberStyle(cells)
  if (style === undefined) return []
  const mark = markOf(first)
  if (mark === '%') return [{ type: 'percent', read: (text) => style(withoutMark(text, '%')) }]
  if (mark === '') return [{ type: 'number', read: (text) => style(text) }]
  return [{ type: 'number', read: (text) => style(withoutMark(text, mark)), currency: CURRENCIES[mark] }]
}

const CURRENCIES: Readonly<Record<string, string>> = {
  $: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  '₽': 'RUB',
  '₴': 'UAH',
  USD: 'USD',
  EUR: 'EUR',
  GBP: 'GBP',
  CHF: 'CHF',
}
const MARK = /^[-−+]?([$€£¥₹₽₴]|USD|EUR|GBP|CHF)|([$€£¥₹₽₴%]|USD|EUR|GBP|CHF)$/

function markOf(text: string): string {
  const found = MARK.exec(text)
  return found?.[1] ?? found?.[2] ?? ''
}

/** The number of an amount or percentage; empty, which is no number, if it has another mark or none. */
function withoutMark(text: string, mark: string): string {
  return markOf(text) === mark ? text.replace(mark, '').replace(/^([-−+]?)\s+|\s+$/g, '$1') : ''
}

interface NumberStyle {
  readonly pattern: RegExp
  readonly group: RegExp
  /** Without a cell like this, it would as well be an address or a telephone number. */
  readonly sure: RegExp | null
}
const STYLES: readonly NumberStyle[] = [
  { pattern: /^[-−+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/, group: /,/g, sure: null },
  { pattern: /^[-−+]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/, group: /\./g, sure: /,\d+$/ },
  { pattern: /^[-−+]?(?:\d{1,3}(?:['’]\d{3})+|\d+)(?:\.\d+)?$/, group: /['’]/g, sure: null },
  { pattern: /^[-−+]?(?:\d{1,3}(?:[\u00a0\u202f]\d{3})+|\d+)(?:[.,]\d+)?$/, group: /[\u00a0\u202f]/g, sure: null },
  { pattern: /^[-−+]?(?:\d{1,3}(?: \d{3})+|\d+)(?:[.,]\d+)?$/, group: / /g, sure: /[.,]\d+$/ },
]
/** Numbers that begin like this are names, and so are long ones with a plus: telephone numbers. */
const NAME = /^[-−+]?0\d|^\+\d{7}/

/** The way in which every cell writes its number, if there is one. */
function numberStyle(cells: readonly string[]): ((text: string) => number | undefined) | undefined {
  const plain = cells.map((cell) => withoutMark(cell, markOf(cell)))
  const style = STYLES.find(
    ({ pattern, sure }) =>
      plain.every((text) => pattern.test(text) && !NAME.test(text)) &&
      (sure === null || plain.some((text) => sure.test(text))),
  )
  if (style === undefined) return undefined
  return (text) => {
    if (!style.pattern.test(text)) return undefined
    const value = Number(text.replace(style.group, '').replace(',', '.').replace('−', '-').replace('+', ''))
    // Digits that a number cannot hold would be lost.
    return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : undefined
  }
}

const isoDate: Reading = { type: 'date', read: (text) => (isDate(text) ? text : undefined) }
const isoTime: Reading = {
  type: 'datetime',
  read: (text) => {
    const iso = text.replace(' ', 'T')
    return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/.test(iso) && isDate(iso.slice(0, 10))
      ? iso
      : undefined
  },
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00Z`).toJSON()?.slice(0, 10) === text
}

/** `31.1.2026` has the day first; `1/31/2026` only says so where a number beyond 12 does. */
function writtenDates(cells: readonly string[]): readonly Reading[] {
  const parts = cells.map((cell) => /^(\d{1,2})([./])(\d{1,2})\2(\d{4})$/.exec(cell))
  const dots = parts.every((part) => part?.[2] === '.')
  const dayFirst = dots || parts.some((part) => Number(part?.[1]) > 12)
  if (!dayFirst && !parts.some((part) => Number(part?.[3]) > 12)) return []
  const read: Read = (text) => {
    const [, one = '', , two = '', year = ''] = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})$/.exec(text) ?? []
    const [day, month] = dayFirst ? [one, two] : [two, one]
    const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
    return isDate(iso) ? iso : undefined
  }
  return [{ type: 'date', read }]
}

/** `1.5 GB` and `300 MiB`, in bytes. */
function readBytes(text: string): number | undefined {
  const [, amount, prefix = '', binary = ''] = /^(\d+(?:\.\d+)?)\s?([kMGTP]?)(i?)B$/i.exec(text) ?? []
  if (amount === undefined) return undefined
  const power = prefix === '' ? 0 : 'KMGTP'.indexOf(prefix.toUpperCase()) + 1
  return Math.round(Number(amount) * (binary === '' ? 1000 : 1024) ** power)
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  sec: 1000,
  min: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  days: 86_400_000,
}
const SPAN = /(\d+(?:\.\d+)?)\s?(ms|sec|s|min|hr|h|days|day|d)(?![a-z])/g

/** `13 ms`, `2 h 5 min`, in milliseconds. */
function readDuration(text: string): number | undefined {
  if (text.replace(SPAN, '').trim() !== '') return undefined
  let sum: number | undefined
  for (const [, amount, unit = ''] of text.matchAll(SPAN)) sum = (sum ?? 0) + Number(amount) * UNITS[unit]!
  return sum
}
