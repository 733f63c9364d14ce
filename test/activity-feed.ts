import { contract } from '../contract/index.ts'
import type { TestClient } from './client.ts'
import { readEvents, type ReceivedEvent } from './event-stream.ts'

/** An open activity stream, as a page reads it. Dispose it to hang up. */
export interface Feed extends AsyncDisposable {
  /** Everything that came so far. */
  readonly received: readonly ReceivedEvent[]
  /** Id of the newest stored event that came. */
  readonly lastId: number
  /** Resolves once something that came, now or before, passes `test`; rejects when the stream ends without. */
  until(test: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent>
  /** Resolves when the server ends the stream, or this side hangs up. */
  readonly ended: Promise<void>
}

/** Opens the stream and waits until the server has answered. */
export async function openFeed(
  client: TestClient,
  from: { after?: number; lastEventId?: number | string } = {},
): Promise<Feed> {
  const hangUp = new AbortController()
  const { after, lastEventId } = from
  const response = await client.call(contract.chat.activityStream, {
    query: { after },
    headers: lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) },
    signal: hangUp.signal,
  })
  const received: ReceivedEvent[] = []
  const waiting = new Set<() => void>()
  const wakeAll = (): void => {
    for (const wake of waiting) wake()
  }
  let over = false
  const ended = (async () => {
    try {
      for await (const event of readEvents(response)) {
        received.push(event)
        wakeAll()
      }
    } catch (error) {
      if (!hangUp.signal.aborted) throw error
    } finally {
      over = true
      wakeAll()
    }
  })()
  // Whoever waits for an event is told of a failure as well; nobody has to wait for the end.
  ended.catch(() => undefined)
  return {
    received,
    ended,
    get lastId() {
      return received.findLast((event) => event.id !== null)?.id ?? 0
    },
    until(test) {
      return new Promise((resolve, reject) => {
        let seen = 0
        const look = (): void => {
          for (; seen < received.length; seen++) {
            const event = received[seen]!
            if (!test(event)) continue
            waiting.delete(look)
            return resolve(event)
          }
          if (!over) return
          waiting.delete(look)
          reject(new Error('The stream ended before.'))
        }
        waiting.add(look)
        look()
      })
    },
    async [Symbol.asyncDispose]() {
      hangUp.abort()
      await ended
    },
  }
}

/** For `feed.until`: an event of this type, of this run where it is given. */
export function isEvent(type: string, run_id?: string) {
  return (event: ReceivedEvent): boolean =>
    event.event === type && (run_id === undefined || fieldOf(event, 'run_id') === run_id)
}

export function fieldOf(event: ReceivedEvent, name: string): unknown {
  return (event.data as Record<string, unknown>)[name]
}
