import { currentLanguage } from './i18n.ts'

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
