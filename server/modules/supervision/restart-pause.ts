import { say, type Sentence } from '../../kernel/sentence.ts'
const FIRST_MS = 1000
const LONGEST_MS = 60_000
/** After running this long, the next restart has the shortest pause again. */
const STEADY_MS = 60_000
const LOOP_EXITS = 5
const LOOP_MS = 5 * 60_000

/**
 * How long to wait before restarting a module: twice as long each time, up to a minute, plus up to a quarter at random,
 * so that modules that failed together do not restart together. Null after five exits within five minutes.
 * @param exits when it exited, newest first, and how long it had been running (milliseconds)
 * @param chance 0–1
 */
export function restartPause(
  exits: readonly { readonly at: number; readonly ran_ms: number }[],
  now: number,
  chance: number,
): number | null {
  const inLoop = exits.filter(({ at }) => now - at <= LOOP_MS).length
  if (inLoop >= LOOP_EXITS) return null
  return pauseAfter(exits, chance)
}

/** The same without ever giving up, for a server on another machine, which may return at any time. */
export function pauseAfter(exits: readonly { readonly ran_ms: number }[], chance: number): number {
  const steady = exits.findIndex(({ ran_ms }) => ran_ms >= STEADY_MS)
  const inRow = steady === -1 ? exits.length : steady + 1
  const pause = Math.min(FIRST_MS * 2 ** Math.max(inRow - 1, 0), LONGEST_MS)
  return Math.round(pause * (1 + chance / 4))
}

export function stoppedOften(times: number): Sentence {
  return say`It stopped ${times} times within a short time, so it is no longer restarted automatically.`
}
