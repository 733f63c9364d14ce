const KEPT_DAYS = 30
const DAY = 24 * 3_600_000

/**
 * Days until a conversation deleted at this time (ISO) is permanently deleted, rounded up; 0 when due. `now` in epoch
 * milliseconds.
 */
export function daysLeft(deletedAt: string, now: number): number {
  return Math.max(0, Math.ceil((Date.parse(deletedAt) + KEPT_DAYS * DAY - now) / DAY))
}
