/** An object stored in this browser under a key. Unreadable data counts as empty; a failed write is ignored. */
export function readRecord(key: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '{}')
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}

export function keepRecord(key: string, record: Record<string, unknown>): void {
  try {
    localStorage.setItem(key, JSON.stringify(record))
  } catch {
    // Storage is full or blocked: works without remembering.
  }
}
