const KEPT_DAYS = 30
const DAY = 24 * 3_600_000

/** Whole days until a conversation deleted then (ISO) goes for good; 0 on its last day. `now` in epoch milliseconds. */
export function daysLeft(deletedAt: string, now: number): number {
  return Math.max(0, Math.floor((Date.parse(deletedAt) + KEPT_DAYS * DAY - now) / DAY))
}
