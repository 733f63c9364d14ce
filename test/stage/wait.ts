import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 100

/**
 * Waits until `condition` gives something true, and resolves with it. Asks again after growing pauses (2 to 100 ms), so a
 * test waits as long as the machine needs and no longer. Rejects after `timeout` ms (default 30,000), naming `what`;
 * an error thrown by `condition` ends the wait at once.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { timeout = 30_000, what = 'the condition' }: { timeout?: number; what?: string } = {},
): Promise<Exclude<T, false | null | undefined | 0 | ''>> {
  const end = performance.now() + timeout
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const value = await condition()
    if (value) return value as Exclude<T, false | null | undefined | 0 | ''>
    if (performance.now() > end) throw new Error(`Waited ${timeout} ms in vain until ${what}.`)
    await sleep(pause)
  }
}
