import { formatTick, type TickUnit } from '../../text/format-axis.ts'
import type { Label } from './axis-labels.ts'

/** A distance between ticks at round times. */
interface Step {
  readonly unit: TickUnit
  /** Milliseconds, days, or months: whatever the unit counts in. */
  readonly size: number
  /** About so many milliseconds. */
  readonly about: number
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MONTH = 30.4 * DAY

const STEPS: readonly Step[] = [
  ...[1, 5, 15, 30].map((n): Step => ({ unit: 'second', size: n * SECOND, about: n * SECOND })),
  ...[1, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((n): Step => ({
    unit: 'minute',
    size: n * MINUTE,
    about: n * MINUTE,
  })),
  ...[1, 2, 5, 10].map((n): Step => ({ unit: 'day', size: n, about: n * DAY })),
  ...[1, 2, 3, 6].map((n): Step => ({ unit: 'month', size: n, about: n * MONTH })),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((n): Step => ({
    unit: 'year',
    size: n * 12,
    about: n * 12 * MONTH,
  })),
]
/** More texts than this are never looked at. */
const MOST = 40

/**
 * The ways to label the axis from `from` to `to` (epoch milliseconds), the densest first; ticks are at round times, and at
 * last at the ends. `utc`: days without a time, which are the same everywhere.
 */
export function* timeLabels(from: number, to: number, utc: boolean): Generator<readonly Label[]> {
  const sameDay = new Date(from).toDateString() === new Date(to).toDateString()
  for (const step of STEPS) {
    if (utc && step.about < DAY) continue
    if ((to - from) / step.about > MOST) continue
    yield ticksOf(step, from, to, utc).map((at) => ({ at, text: formatTick(at, step.unit, { utc, sameDay }) }))
  }
  const unit = to - from > 1000 * 12 * MONTH ? 'year' : utc ? 'day' : 'second'
  yield [from, to].map((at) => ({ at, text: formatTick(at, unit, { utc, sameDay }) }))
}

function ticksOf({ unit, size }: Step, from: number, to: number, utc: boolean): number[] {
  const start = new Date(from)
  const year = utc ? start.getUTCFullYear() : start.getFullYear()
  const month = utc ? start.getUTCMonth() : start.getMonth()
  const at = (months: number, day: number, ms = 0): number => {
    const date = new Date(0)
    // Not by Date.UTC or the constructor: they take the years 0 to 99 for those of the last century.
    if (utc) date.setUTCFullYear(year, months, day)
    else {
      date.setFullYear(year, months, day)
      date.setHours(0, 0, 0, 0)
    }
    return date.getTime() + ms
  }
  const ticks: number[] = []
  const add = (tick: number): void => void (tick >= from && tick <= to && ticks.push(tick))
  if (unit === 'year' || unit === 'month') {
    const first = unit === 'month' ? month - (month % size) : -12 * (year % (size / 12))
    for (let months = first; at(months, 1) <= to; months += size) add(at(months, 1))
  } else if (unit === 'day') {
    for (let months = month; at(months, 1) <= to; months++) {
      const days = Math.round((at(months + 1, 1) - at(months, 1)) / DAY)
      // Round days of each month; one at its end would stand too close to the first of the next.
      for (let day = 1; day <= days - size / 2; day += size) add(at(months, day))
    }
  } else {
    const date = utc ? start.getUTCDate() : start.getDate()
    for (let day = date; at(month, day) <= to; day++)
      for (let ms = 0; ms < DAY && at(month, day, ms) < at(month, day + 1); ms += size) add(at(month, day, ms))
  }
  return ticks
}
