/** No messages from one time of day to another, in the zone of a person. */
export interface QuietHours {
  /** `HH:MM` */
  readonly from: string
  readonly to: string
  /** IANA name. */
  readonly zone: string
}

const MINUTE = 60_000
const DAY_MINUTES = 1440

/** Whether there is a time zone of this name. */
export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/**
 * When something that is due at `at` (epoch milliseconds) may be said: then, or when the quiet hours end. A night in which
 * the clock is changed ends by the clock.
 */
export function afterQuiet(at: number, { from, to, zone }: QuietHours): number {
  const begin = minuteOf(from)
  const end = minuteOf(to)
  const now = clockAt(at, zone)
  const isQuiet = begin <= end ? now >= begin && now < end : now >= begin || now < end
  if (!isQuiet || begin === end) return at
  const left = (end - now + DAY_MINUTES) % DAY_MINUTES
  const wake = Math.floor(at / MINUTE) * MINUTE + left * MINUTE
  // Where the clock is changed meanwhile, it shows something else by then.
  const off = end - clockAt(wake, zone)
  const nearest = off > DAY_MINUTES / 2 ? off - DAY_MINUTES : off < -DAY_MINUTES / 2 ? off + DAY_MINUTES : off
  return wake + nearest * MINUTE
}

/** Minutes since midnight. */
function minuteOf(clock: string): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))
}

function clockAt(at: number, zone: string): number {
  const text = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' }).format(at)
  return minuteOf(text)
}
