import { vi } from 'vitest'

/** Timers that go off when the test says so. */
export interface HeldTimers extends Disposable {
  /** Every one that was set, in order, also those that were cleared. */
  readonly set: readonly HeldTimer[]
}

export interface HeldTimer {
  /** Runs it; does nothing where it was cleared. */
  goOff(): void
}

/**
 * From now on, a timer whose callback is given exactly `argument` waits for the test; all others go on as ever. A clock
 * that leaps would also end whatever waits for an answer just then.
 */
export function holdTimers(argument: string): HeldTimers {
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout }
  const waiting = new Map<unknown, () => void>()
  const set: HeldTimer[] = []
  const starts = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    callback: (...given: unknown[]) => void,
    ms?: number,
    ...given: unknown[]
  ) => {
    if (given.length !== 1 || given[0] !== argument) return real.setTimeout(callback, ms, ...given)
    const timer = real.setTimeout(() => {}, 0)
    waiting.set(timer, () => callback(...given))
    set.push({
      goOff() {
        const run = waiting.get(timer)
        waiting.delete(timer)
        run?.()
      },
    })
    return timer
  }) as typeof setTimeout)
  const clears = vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    waiting.delete(timer)
    real.clearTimeout(timer)
  })
  return {
    set,
    [Symbol.dispose]() {
      starts.mockRestore()
      clears.mockRestore()
    },
  }
}
