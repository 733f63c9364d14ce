import { currentLanguage } from './i18n.ts'
import { ownZone } from './own-zone.ts'

/** `Mon, 30 Nov 2026, 07:30`, as the clocks of a zone show it. */
export function formatInZone(at: string, zone: string): string {
  return new Intl.DateTimeFormat(currentLanguage(), {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: zone,
  }).format(new Date(at))
}

/** The same with the name of the zone, where it is not the reader's own. */
export function formatInNamedZone(at: string, zone: string): string {
  const time = formatInZone(at, zone)
  return zone === ownZone() ? time : `${time} (${zone})`
}

/** `07:30`, or `Tue 07:30` where it is another day there than here. */
export function formatTimeInZone(at: string, zone: string): string {
  const date = new Date(at)
  const dayIn = (timeZone?: string): string =>
    new Intl.DateTimeFormat('en', { dateStyle: 'short', timeZone }).format(date)
  const elsewhere = dayIn(zone) !== dayIn()
  return new Intl.DateTimeFormat(currentLanguage(), {
    ...(elsewhere && { weekday: 'short' }),
    hour: 'numeric',
    minute: '2-digit',
    timeZone: zone,
  }).format(date)
}

/** Names of the days of the week, Monday first; `index` as in a cron expression. */
export function weekdayNames(): { index: number; name: string }[] {
  const format = new Intl.DateTimeFormat(currentLanguage(), { weekday: 'short', timeZone: 'UTC' })
  // 4 January 2026 was a Sunday.
  return [1, 2, 3, 4, 5, 6, 0].map((index) => ({ index, name: format.format(Date.UTC(2026, 0, 4 + index)) }))
}

/** `Mon 30 Nov`: a day of a calendar, as the reader's clock has it. */
export function formatWeekday(day: Date): string {
  return new Intl.DateTimeFormat(currentLanguage(), { weekday: 'short', day: 'numeric', month: 'short' }).format(day)
}

/** A time of day such as `07:30`, as the reader writes it. */
export function timeOfDay(time: string): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const format = new Intl.DateTimeFormat(currentLanguage(), { timeStyle: 'short', timeZone: 'UTC' })
  return format.format(new Date(Date.UTC(2000, 0, 1, hour, minute)))
}
