/** A deadline that pauses while a person thinks. Pauses may overlap. */
export interface Deadline {
  pause(): void
  resume(): void
  clear(): void
}

/** Calls `onOver` once, `milliseconds` of running time from now. */
export function startDeadline(milliseconds: number, onOver: () => void): Deadline {
  let left = milliseconds
  let since = performance.now()
  let pauses = 0
  let timer: NodeJS.Timeout | undefined = setTimeout(onOver, left)
  return {
    pause() {
      if (pauses++ > 0 || timer === undefined) return
      clearTimeout(timer)
      left -= performance.now() - since
    },
    resume() {
      if (--pauses > 0 || timer === undefined) return
      since = performance.now()
      timer = setTimeout(onOver, Math.max(left, 0))
    },
    clear() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
