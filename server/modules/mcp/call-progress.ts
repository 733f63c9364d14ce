import type { Client } from '@modelcontextprotocol/client'
import { cut, visible } from '../../kernel/text/plain-text.ts'

const INTERVAL_MS = 200

/**
 * Passes a module's progress reports to the call they belong to. Listens to the notifications directly, because the
 * client's per-request callback adds reports of its own.
 */
export function openProgress(client: Client) {
  const expected = new Map<string | number, (text: string) => void>()
  client.setNotificationHandler('notifications/progress', ({ params }) => {
    const { progressToken, message, progress, total } = params
    const of = total === undefined ? '' : ` of ${total}`
    expected.get(progressToken)?.(cut(visible(message ?? `${progress}${of}`), 500))
  })
  return {
    /**
     * Reports the progress of a call until it is stopped, with the call's key as its token. What comes another way is reported
     * by saying it.
     */
    expect(call: string, report: (text: string) => void): { say(text: string): void; stop(): void } {
      const throttled = throttleProgress(report)
      expected.set(call, throttled.push)
      return {
        say: (text) => throttled.push(cut(visible(text), 500)),
        stop() {
          expected.delete(call)
          throttled.stop()
        },
      }
    },
  }
}

/**
 * Passes on at most five texts a second: the first at once, then the latest of each interval; none after `stop()`.
 */
function throttleProgress(report: (text: string) => void): { push(text: string): void; stop(): void } {
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
