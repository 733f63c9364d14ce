/**
 * From the beginning of the first day to the end of the last, as ISO times. Days are dates in the reader's time zone:
 * `2026-05-01`; whatever is no day leaves that end open.
 */
export function dayRange(from: string | undefined, to: string | undefined): { from?: string; to?: string } {
  const first = dayStart(from)
  const last = dayStart(to)
  return {
    ...(first === null ? {} : { from: first.toISOString() }),
    // To include all of the last day.
    ...(last === null ? {} : { to: new Date(last.setDate(last.getDate() + 1) - 1).toISOString() }),
  }
}

/** Midnight of the day in the reader's time zone; null for anything that is not a day. */
function dayStart(day: string | undefined): Date | null {
  if (day === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return null
  const start = new Date(`${day}T00:00:00`)
  return Number.isNaN(start.getTime()) ? null : start
}
