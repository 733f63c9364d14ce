/** Epoch milliseconds as ISO 8601 UTC: what every `*_at` field on the wire holds. */
export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

export function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : iso(milliseconds)
}
