/** An object kept in this browser under a key. What cannot be read counts as empty; what cannot be kept is lost quietly. */
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
    // Full or forbidden storage: it works without memory.
  }
}
