const KEY = 'reeve.learned_hints'
/** After so many times, what the hint says is known. */
const LEARNED = 3

/** Which key was used: to send, or to queue. */
export type Hint = 'send' | 'queue'

/** Whether this browser has done it often enough to do without the hint. */
export function isLearned(hint: Hint): boolean {
  return (read()[hint] ?? 0) >= LEARNED
}

/** Counts a message that was sent, or queued, by key. */
export function learn(hint: Hint): void {
  const counts = read()
  const count = counts[hint] ?? 0
  if (count >= LEARNED) return
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...counts, [hint]: count + 1 }))
  } catch {
    // Storage is blocked: the hint stays.
  }
}

function read(): Partial<Record<Hint, number>> {
  try {
    return (JSON.parse(localStorage.getItem(KEY) ?? 'null') ?? {}) as Partial<Record<Hint, number>>
  } catch {
    return {}
  }
}
