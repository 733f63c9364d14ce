const DAY = 86_400_000
const TWO = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, '0'))
const THREE = Array.from({ length: 1000 }, (_, i) => String(i).padStart(3, '0'))

let lastDay = NaN
let date = ''

/**
 * Epoch milliseconds as ISO 8601 UTC: the content of every `*_at` field on the wire. Same result as Date's toISOString,
 * which takes more than a microsecond: too long for the hundred times of a list. Times of a list mostly share a day.
 */
export function iso(milliseconds: number): string {
  const day = Math.floor(milliseconds / DAY)
  if (day !== lastDay) {
    date = new Date(milliseconds).toISOString().slice(0, -13)
    lastDay = day
  }
  const seconds = Math.floor((milliseconds - day * DAY) / 1000)
  const minutes = Math.floor(seconds / 60)
  const clock = `${TWO[Math.floor(minutes / 60)]}:${TWO[minutes % 60]}:${TWO[seconds % 60]}`
  return `${date}${clock}.${THREE[milliseconds - day * DAY - seconds * 1000]}Z`
}

/** The UTC date at a time, or `back` days earlier: `2026-11-21`. */
export function dayOf(at: number, back = 0): string {
  return new Date(at - back * DAY).toISOString().slice(0, 10)
}

export function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : iso(milliseconds)
}
