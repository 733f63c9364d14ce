import { Cron } from 'croner'
import { SHORTEST_INTERVAL_S, type Schedule } from '../../contract/routine-values.ts'
import { say, type Sentence } from '../kernel/sentence.ts'

/** Times that are looked at to find two that are too close: more than the minutes of an hour. */
const LOOKED_AT = 64
/** Missed times that are counted one by one; beyond, the number is said to be this. */
const MOST_MISSED = 1000

/**
 * When a schedule is due: arithmetic only, nothing waits here. A time of day that a change of clocks leaves out is due at
 * that change, and one that comes twice is due once.
 */
export interface Times {
  /** The first time after `at`; null when there is none any more. */
  after(at: number): number | null
  next(count: number, at: number): number[]
  /** The times from `first`, which is one, up to `now`: how many, and the newest. */
  until(first: number, now: number): { readonly count: number; readonly newest: number }
  /**
   * Where a time now stands that was found with other time zone data: the nearest to it. One that would be gone by `now`, though
   * it was still to come, stays where it was.
   */
  anew(at: number, now: number): number
}

/** The version of the time zone data that this process works with. */
export const TZ_VERSION = process.versions['tz'] ?? ''

/** The times of a schedule that was checked. @throws when it cannot be read */
export function timesOf({ cron, zone }: Schedule): Times {
  const job = new Cron(cron, { mode: '5-part', timezone: zone, fixedTimeRule: 'no-wildcard', paused: true })
  const next = (count: number, at: number): number[] => job.nextRuns(count, new Date(at)).map((date) => date.getTime())
  return {
    after: (at) => next(1, at)[0] ?? null,
    next,
    until(first, now) {
      let newest = first
      let count = 1
      while (count < MOST_MISSED) {
        const [following] = next(1, newest)
        if (following === undefined || following > now) return { count, newest }
        newest = following
        count++
      }
      const last = job.previousRuns(1, new Date(now + 1000))[0]?.getTime() ?? newest
      return { count, newest: last <= now ? Math.max(last, newest) : newest }
    },
    anew(at, now) {
      const before = job.previousRuns(1, new Date(at + 1000))[0]?.getTime() ?? -Infinity
      const [after = Infinity] = next(1, at - 1000)
      const nearest = after - at <= at - before ? after : before
      return Number.isFinite(nearest) && (nearest > at || nearest > now) ? nearest : at
    },
  }
}

/** The times of a schedule as somebody has written it, or why it cannot be used. */
export function readSchedule({ cron, zone }: Schedule, now: number): Times | Sentence {
  if (!isZone(zone)) return say`“${zone}” is not the name of a time zone.`
  if (cron.trim().split(/\s+/).length !== 5)
    return say`A schedule has five parts: minute, hour, day of the month, month, day of the week.`
  let times: Times
  try {
    times = timesOf({ cron, zone })
  } catch {
    return say`“${cron}” is not a schedule: 30 7 * * 1-5 is 07:30 from Monday to Friday.`
  }
  const found = times.next(LOOKED_AT, now)
  if (found.length === 0) return say`This schedule is never due.`
  const isTooClose = found.some((at, i) => i > 0 && at - found[i - 1]! < SHORTEST_INTERVAL_S * 1000)
  if (isTooClose) return say`Two times are less than ${SHORTEST_INTERVAL_S / 60} minutes apart.`
  return times
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return zone !== ''
  } catch {
    return false
  }
}
