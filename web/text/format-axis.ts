import { currentLanguage } from './i18n.ts'
import { formatNumber } from './format.ts'

/** How far apart the ticks of a time axis are: it decides what their texts must say. */
export type TickUnit = 'second' | 'minute' | 'day' | 'month' | 'year'

/** Shortest text that names a tick: `2026`, `Mar 2026`, `Mar 3`, `Mar 3, 14:00`; the time alone within one day. */
export function formatTick(
  moment: number,
  unit: TickUnit,
  { utc, sameDay }: { utc: boolean; sameDay: boolean },
): string {
  const clock: Intl.DateTimeFormatOptions = {
    hour: 'numeric',
    minute: '2-digit',
    ...(unit === 'second' && { second: '2-digit' }),
  }
  const day: Intl.DateTimeFormatOptions = { month: 'short', day: 'numeric' }
  const parts: Record<TickUnit, Intl.DateTimeFormatOptions> = {
    second: sameDay ? clock : { ...day, ...clock },
    minute: sameDay ? clock : { ...day, ...clock },
    day,
    month: { month: 'short', year: 'numeric' },
    year: { year: 'numeric' },
  }
  const zone = utc ? { timeZone: 'UTC' } : {}
  return new Intl.DateTimeFormat(currentLanguage(), { ...parts[unit], ...zone }).format(moment)
}

/** A number beside an axis: short from 10,000 on (`12K`). `plain`: without separators, as years and ids are written. */
export function formatAxisNumber(value: number, plain: boolean): string {
  const long = Math.abs(value) >= 10_000
  return formatNumber(value, {
    notation: long && !(plain && Number.isInteger(value) && Math.abs(value) < 1e6) ? 'compact' : 'standard',
    maximumFractionDigits: 4,
    useGrouping: !plain,
  })
}

/** `Nov 7`, for when the year is clear. `day` is a date without a time: `2026-11-07`. */
export function formatDay(day: string): string {
  return formatTick(Date.parse(day), 'day', { utc: true, sameDay: false })
}
