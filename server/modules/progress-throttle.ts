const INTERVAL_MS = 200

/**
 * Passes on at most five texts a second: the first at once, then the latest of each interval. After `stop()` nothing comes
 * any more.
 */
export function throttleProgress(report: (text: string) => void): { push(text: string): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  let waiting: string | undefined
  let stopped = false
  const open = () => {
    timer = undefined
    if (waiting === undefined) return
    const text = waiting
    waiting = undefined
    send(text)
  }
  const send = (text: string) => {
    timer = setTimeout(open, INTERVAL_MS)
    report(text)
  }
  return {
    push(text) {
      if (stopped) return
      if (timer === undefined) send(text)
      else waiting = text
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
