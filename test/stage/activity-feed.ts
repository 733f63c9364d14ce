import type { ActivityEvent } from '../../contract/chat.ts'
import { contract } from '../../contract/index.ts'
import type { TestClient } from './client.ts'
import { readEvents, type ReceivedEvent } from './event-stream.ts'

/** An open activity stream, as a page reads it. Dispose it to hang up. */
export interface Feed extends AsyncDisposable {
  /** Everything received so far, in order. */
  readonly received: readonly ReceivedEvent[]
  /** The stored events among them: without snapshots. */
  readonly events: readonly ActivityEvent[]
  /** Id of the newest stored event received: where a later stream resumes. */
  readonly cursor: number
  /** Resolves with the first event, past or to come, that passes `test`; rejects when the stream ends without one. */
  until(test: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent>
  /** Like `until`, for stored events. */
  find(test: (event: ActivityEvent) => boolean): Promise<ActivityEvent>
  /** Resolves when the server ends the stream or is gone, or this side hangs up. */
  readonly ended: Promise<void>
}

/** Opens the stream of a user; without a point to resume from, waits for the snapshot that begins it. */
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
    } catch {
      // A server that is killed cuts the stream off: for a reader, that is its end.
    } finally {
      over = true
      wakeAll()
    }
  })()
  const feed: Feed = {
    received,
    ended,
    get events() {
      return received.filter(isStored).map(({ data }) => data as ActivityEvent)
    },
    get cursor() {
      return received.findLast((event) => event.id !== null)?.id ?? after ?? 0
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
    async find(test) {
      const { data } = await feed.until((event) => isStored(event) && test(event.data as ActivityEvent))
      return data as ActivityEvent
    },
    async [Symbol.asyncDispose]() {
      hangUp.abort()
      await ended
    },
  }
  if (after === undefined && lastEventId === undefined) await feed.until(isEvent('snapshot'))
  return feed
}

function isStored({ event }: ReceivedEvent): boolean {
  return event !== 'snapshot' && event !== 'reset' && event !== 'end'
}

/** For `feed.until`: an event of this type, of this run where it is given. */
export function isEvent(type: string, run_id?: string) {
  return (event: ReceivedEvent): boolean =>
    event.event === type && (run_id === undefined || fieldOf(event, 'run_id') === run_id)
}

export function fieldOf(event: ReceivedEvent, name: string): unknown {
  return (event.data as Record<string, unknown>)[name]
}

/** The text of a part of a message, as its events tell it. */
export function toldText(events: readonly ActivityEvent[], message_id: string, index: number): string {
  let told = ''
  for (const event of events) {
    if (event.type !== 'run.delta' || event.message_id !== message_id || event.index !== index) continue
    if (event.from !== told.length) throw new Error(`A gap or a repetition at ${told.length}.`)
    told += String(event.text)
  }
  return told
}
