import { CELL, type CellKind } from '../sheet/cell-kind.ts'
import { clock } from '../sheet/clock.ts'
import type { NumberFormat } from './number-format.ts'

const DAY_MS = 86_400_000
const LAST_DAY = 2_958_465
/** Day 0 of both calendars, 31 December 1899 and 1 January 1904, as days since 1970. */
const START_1900 = -25_568
const START_1904 = -24_107

export interface SerialDate {
  readonly text: string
  readonly kind: CellKind
}

const days = new Map<number, string>()

/**
 * The day and time that a number means: `2026-01-31`, `2026-01-31T08:30:00`, `08:30:00`; null when it means none and
 * stays a number. In the 1900 calendar, day 1 is 1 January 1900 and day 60 is 29 February 1900, which didn't exist, as
 * spreadsheets show it.
 */
export function serialDate(serial: number, format: NumberFormat, from1904: boolean): SerialDate | null {
  if (format === 'duration') return durationOf(serial)
  if (format === 'number' || !(serial >= 0)) return null
  const total = Math.round((serial % 1) * DAY_MS)
  const day = Math.floor(serial) + (total === DAY_MS ? 1 : 0)
  const time = total % DAY_MS
  if (day > LAST_DAY - (from1904 ? START_1904 - START_1900 + 1 : 0)) return null
  if (format === 'time' && day === 0) return { text: clock(time), kind: CELL.time }
  const date = dayText(day, from1904)
  if (time === 0 && format === 'date') return { text: date, kind: CELL.date }
  return { text: `${date}T${clock(time)}`, kind: CELL.datetime }
}

function dayText(day: number, from1904: boolean): string {
  if (!from1904 && day === 60) return '1900-02-29'
  const since = from1904 ? START_1904 + day : START_1900 + day - (day > 60 ? 1 : 0)
  let text = days.get(since)
  if (text === undefined) {
    text = new Date(since * DAY_MS).toISOString().slice(0, 10)
    if (days.size < 100_000) days.set(since, text)
  }
  return text
}

/** Hours continue beyond 24. */
function durationOf(serial: number): SerialDate | null {
  const ms = Math.round(Math.abs(serial) * DAY_MS)
  if (!Number.isSafeInteger(ms)) return null
  return { text: (serial < 0 && ms > 0 ? '-' : '') + clock(ms), kind: CELL.time }
}
