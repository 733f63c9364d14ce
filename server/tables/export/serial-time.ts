/**
 * Days since 1899-12-30, the origin of spreadsheet dates; the nonexistent 29 February 1900 makes earlier days
 * ambiguous.
 */
const FIRST = Date.UTC(1900, 2, 1)
const END = Date.UTC(10_000, 0, 1)
const EPOCH = Date.UTC(1899, 11, 30)
const DAY = 86_400_000
const FIRST_SERIAL = 61
const TIME = /^[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/

/** A moment (Unix milliseconds) as a serial number; null when a spreadsheet cannot show it. */
export function serialOf(ms: number): number | null {
  return ms >= FIRST && ms < END ? (ms - EPOCH) / DAY : null
}

/** Serial numbers of the first days of months, because rows hold many days of few months. */
const months = new Map<number, number>()

/** `YYYY-MM-DD` (or with `/`) as a serial number; null when it isn't a valid day. */
function serialDay(text: string): number | null {
  if (text.length !== 10) return null
  const mark = text.charCodeAt(4)
  if ((mark !== 45 && mark !== 47) || text.charCodeAt(7) !== mark) return null
  const year = pair(text, 0) * 100 + pair(text, 2)
  const month = pair(text, 5)
  const day = pair(text, 8)
  if (!(year >= 1900 && month >= 1 && month <= 12 && day >= 1)) return null
  const key = year * 12 + month - 1
  const serial = monthStart(key) + day - 1
  // 30 February would become a day in March.
  return day > 28 && serial >= monthStart(key + 1) ? null : serial < FIRST_SERIAL ? null : serial
}

function monthStart(key: number): number {
  let start = months.get(key)
  if (start === undefined) {
    start = (Date.UTC(Math.floor(key / 12), key % 12, 1) - EPOCH) / DAY
    months.set(key, start)
  }
  return start
}

/** Two digits as a number; NaN when they aren't digits. */
function pair(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - 48, text.charCodeAt(at + 1) - 48]
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN
}

/**
 * An ISO 8601 day with or without a time as a serial number; a time with an offset becomes UTC. `fraction`: there are
 * fractions of a second; `day`: there is no time.
 */
export function serialTime(text: string): { serial: number; fraction: boolean; day: boolean } | null {
  const day = serialDay(text.slice(0, 10))
  if (day === null) return null
  if (text.length === 10) return { serial: day, fraction: false, day: true }
  const minute = pair(text, 11) * 3600 + pair(text, 14) * 60
  // The usual form, without further checks: HH:MM:SS.
  if (text.length === 19 && text.charCodeAt(13) === 58 && text.charCodeAt(16) === 58 && pair(text, 11) < 24) {
    const second = pair(text, 17)
    if (pair(text, 14) < 60 && second < 60 && (text[10] === 'T' || text[10] === ' '))
      return { serial: day + (minute + second) / 86_400, fraction: false, day: false }
  }
  const time = TIME.exec(text.slice(10))
  if (time === null) return null
  const [, hours, minutes, seconds = '0', parts = '0', zone] = time
  if (+hours! > 23 || +minutes! > 59 || +seconds > 59) return null
  const passed = +hours! * 3600 + +minutes! * 60 + +seconds + Number(`0.${parts}`) - offsetSeconds(zone)
  return { serial: day + passed / 86_400, fraction: Number(parts) !== 0, day: false }
}

function offsetSeconds(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0
  const size = +zone.slice(1, 3) * 3600 + +(zone.slice(3).replace(':', '') || 0) * 60
  return zone.startsWith('-') ? -size : size
}
