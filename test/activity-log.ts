import type { ActivityEvent } from '../contract/chat.ts'
import type { TestClient } from './client.ts'
import { readEvents } from './event-stream.ts'
import { until } from './wait.ts'

export interface ActivityLog {
  /** Stored events in the order in which they came; a snapshot is not one. */
  readonly events: readonly ActivityEvent[]
  /** Id of the newest thing seen: where a later stream goes on. */
  readonly cursor: number
  /** Resolves when the server ended the stream or went away. */
  readonly ended: Promise<void>
  /** The first event that fits, now or when it comes. */
  find(fits: (event: ActivityEvent) => boolean, timeout?: number): Promise<ActivityEvent>
  close(): void
}

/** Follows the activity of a person from a point on (from now unless given), as a browser does. */
export async function followActivity(client: TestClient, after?: number): Promise<ActivityLog> {
  const leave = new AbortController()
  const path = `/api/chat/activity/stream${after === undefined ? '' : `?after=${after}`}`
  const response = await client.fetch(path, { signal: leave.signal })
  const events: ActivityEvent[] = []
  const opened = Promise.withResolvers<void>()
  let cursor = after ?? 0
  const read = async (): Promise<void> => {
    for await (const { id, event, data } of readEvents(response)) {
      if (id !== null) cursor = id
      if (event !== 'snapshot') events.push(data as ActivityEvent)
      opened.resolve()
    }
  }
  // A server that is killed breaks the stream off: for the reader that is its end.
  const ended = read().catch(() => undefined)
  if (after === undefined) await opened.promise
  return {
    events,
    get cursor() {
      return cursor
    },
    ended,
    find: (fits, timeout) =>
      until(() => events.find(fits), { what: 'the event comes', ...(timeout ? { timeout } : {}) }),
    close: () => leave.abort(),
  }
}

/** The text of a part of a message, as its events told it. */
export function toldText(events: readonly ActivityEvent[], message_id: string, index: number): string {
  let told = ''
  for (const event of events) {
    if (event.type !== 'run.delta' || event.message_id !== message_id || event.index !== index) continue
    if (event.from !== told.length) throw new Error(`A gap or a repetition at ${told.length}.`)
    told += String(event.text)
  }
  return told
}
