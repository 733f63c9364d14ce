import type { WatchCondition, WatchValue } from '../../contract/watch-values.ts'

/** What a watch remembers of one subject; times in epoch milliseconds. */
export interface Memory {
  readonly phase: 'ok' | 'pending' | 'crossed'
  readonly since: number
  /** For how long it has been seen beyond the bound. */
  readonly held_ms: number
  /** When it was last seen beyond the bound; null after anything else, such as a look without an answer. */
  readonly beyond_at: number | null
}

export type Turn = 'crossed' | 'recovered' | null

/** Whether a value is beyond the bound; null where that cannot be told. */
export function isBeyond({ is, bound }: WatchCondition, value: WatchValue): boolean | null {
  if (value === null) return null
  if (is === 'equals') return sameValue(value, bound)
  const [seen, limit] = [numberOf(value), numberOf(bound)]
  if (seen === null || limit === null) return null
  return is === 'above' ? seen > limit : seen < limit
}

/** What follows from one look. A value that is not known counts as neither crossed nor recovered, and not as time, either. */
export function judge(
  before: Memory | null,
  value: WatchValue,
  condition: WatchCondition,
  at: number,
): { readonly memory: Memory; readonly turn: Turn } {
  const old = before ?? { phase: 'ok', since: at, held_ms: 0, beyond_at: null }
  const beyond = isBeyond(condition, value)
  if (beyond === null) return { memory: { ...old, beyond_at: null }, turn: null }
  if (old.phase === 'crossed') {
    if (!isBack(condition, value, beyond)) return { memory: { ...old, beyond_at: beyond ? at : null }, turn: null }
    return { memory: { phase: 'ok', since: at, held_ms: 0, beyond_at: null }, turn: 'recovered' }
  }
  if (!beyond) {
    const since = old.phase === 'ok' ? old.since : at
    return { memory: { phase: 'ok', since, held_ms: 0, beyond_at: null }, turn: null }
  }
  // Only what lies between two looks that both saw it counts; a clock that was set back makes it longer, never shorter.
  const held_ms = old.held_ms + (old.beyond_at === null ? 0 : Math.max(0, at - old.beyond_at))
  if (held_ms >= condition.for_s * 1000)
    return { memory: { phase: 'crossed', since: at, held_ms, beyond_at: at }, turn: 'crossed' }
  const since = old.phase === 'pending' ? old.since : at
  return { memory: { phase: 'pending', since, held_ms, beyond_at: at }, turn: null }
}

function isBack({ is, bound, back }: WatchCondition, value: WatchValue, beyond: boolean): boolean {
  if (beyond || is === 'equals' || back === null) return !beyond
  const seen = numberOf(value)
  if (seen === null) return false
  return is === 'above' ? seen <= Math.min(back, Number(bound)) : seen >= Math.max(back, Number(bound))
}

/** The number that a cell says, if it says nothing else. */
export function numberOf(value: WatchValue): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (value === null || value.trim() === '') return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

function sameValue(value: string | number, bound: string | number): boolean {
  const [one, other] = [numberOf(value), numberOf(bound)]
  if (one !== null && other !== null) return one === other
  return String(value).trim() === String(bound).trim()
}
