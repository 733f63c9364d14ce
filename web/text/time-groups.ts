import { currentLanguage } from './i18n.ts'

const DAY = 86_400_000
const WEEK = 7

interface TimeGroup<E> {
  readonly key: string
  readonly title: string
  readonly items: readonly E[]
}

/** Entries by when they last changed (Today, Yesterday, weekdays, then months), in their own order. */
export function groupByTime<E extends { readonly updated_at: string }>(
  entries: readonly E[],
  today: Date,
): readonly TimeGroup<E>[] {
  const groups: { key: string; title: string; items: E[] }[] = []
  for (const entry of entries) {
    const at = new Date(entry.updated_at)
    const key = keyOf(at, today)
    const last = groups.at(-1)
    if (last?.key === key) last.items.push(entry)
    // Naming a day takes a hundred times as long as comparing it.
    else groups.push({ key, title: titleOf(at, today), items: [entry] })
  }
  return groups
}

/** `14:05` within the last week, whose day the group says; before that `7 Nov`. */
export function shortTime(at: Date, today: Date): string {
  const format: Intl.DateTimeFormatOptions =
    daysBetween(at, today) < WEEK ? { timeStyle: 'short' } : { day: 'numeric', month: 'short' }
  return new Intl.DateTimeFormat(currentLanguage(), format).format(at)
}

function keyOf(at: Date, today: Date): string {
  const days = daysBetween(at, today)
  return days < WEEK ? `day ${days}` : `month ${at.getFullYear()} ${at.getMonth()}`
}

function titleOf(at: Date, today: Date): string {
  const language = currentLanguage()
  const days = daysBetween(at, today)
  const name =
    days < 2
      ? new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-days, 'day')
      : new Intl.DateTimeFormat(language, titleFormat(at, today, days)).format(at)
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
}

function titleFormat(at: Date, today: Date, days: number): Intl.DateTimeFormatOptions {
  if (days < WEEK) return { weekday: 'long' }
  return at.getFullYear() === today.getFullYear() ? { month: 'long' } : { month: 'long', year: 'numeric' }
}

/** Days of the calendar, as the reader's clock counts them. */
function daysBetween(at: Date, today: Date): number {
  // Summer time makes days of 23 and 25 hours. What another clock dates later than now is of today.
  return Math.max(0, Math.round((midnight(today) - midnight(at)) / DAY))
}

function midnight(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime()
}
