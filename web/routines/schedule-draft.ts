/** How often a routine runs, as the form asks for it. `cron`: an expression of one's own. */
export type Often = 'never' | 'hourly' | 'daily' | 'weekdays' | 'weekly' | 'monthly' | 'cron'

export interface ScheduleDraft {
  readonly often: Often
  /** `07:30`; of `hourly` only the minute counts. */
  readonly time: string
  /** Days of the week, 0 is Sunday. */
  readonly days: readonly number[]
  /** Of the month. */
  readonly day: number
  readonly cron: string
  readonly zone: string
}

export const EVERY: readonly Often[] = ['never', 'hourly', 'daily', 'weekdays', 'weekly', 'monthly', 'cron']

/** The expression that the form means; null where it means none, or says too little. */
export function cronOf({ often, time, days, day, cron }: ScheduleDraft): string | null {
  const [hour, minute] = time.split(':').map(Number)
  if (often === 'never') return null
  if (often === 'cron') return cron.trim() === '' ? null : cron.trim().replace(/\s+/g, ' ')
  if (hour === undefined || minute === undefined || Number.isNaN(hour) || Number.isNaN(minute)) return null
  if (often === 'hourly') return `${minute} * * * *`
  if (often === 'daily') return `${minute} ${hour} * * *`
  if (often === 'weekdays') return `${minute} ${hour} * * 1-5`
  if (often === 'monthly') return `${minute} ${hour} ${day} * *`
  return days.length === 0 ? null : `${minute} ${hour} * * ${days.toSorted((a, b) => a - b).join(',')}`
}

/** What the form shows for a stored expression: one of its own choices where it is one. */
export function draftOf(
  schedule: { readonly cron: string; readonly zone: string } | null,
  zone: string,
): ScheduleDraft {
  const none: ScheduleDraft = { often: 'daily', time: '07:30', days: [1], day: 1, cron: '', zone }
  if (schedule === null) return { ...none, often: 'never' }
  const { cron } = schedule
  const base = { ...none, cron, zone: schedule.zone }
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().split(/\s+/)
  const isNumber = (text: string, most: number): boolean => /^\d{1,2}$/.test(text) && Number(text) <= most
  const time = `${two(hour)}:${two(minute)}`
  if (!isNumber(minute, 59) || month !== '*') return { ...base, often: 'cron' }
  if (hour === '*' && day === '*' && weekday === '*') return { ...base, often: 'hourly', time: `00:${two(minute)}` }
  if (!isNumber(hour, 23)) return { ...base, often: 'cron' }
  if (isNumber(day, 31) && weekday === '*') return { ...base, often: 'monthly', time, day: Number(day) }
  if (day !== '*') return { ...base, often: 'cron' }
  if (weekday === '*') return { ...base, often: 'daily', time }
  if (weekday === '1-5') return { ...base, often: 'weekdays', time }
  if (/^[0-6](,[0-6])*$/.test(weekday)) return { ...base, often: 'weekly', time, days: weekday.split(',').map(Number) }
  return { ...base, often: 'cron' }
}

function two(text: string): string {
  return text.padStart(2, '0')
}
