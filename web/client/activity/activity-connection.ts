import type { ActivityEvent, ActivitySnapshot } from '../../../contract/chat.ts'
import { createEventStreamReader, type WireEvent } from './event-stream-reader.ts'

const PATH = '/api/chat/activity/stream'
/** The server sends a heartbeat every 15 s; two missed ones mean that the connection is dead. */
const SILENCE_MS = 35_000
/**
 * Short even at its longest: users watching the banner wait for it, and an attempt costs the server next to nothing.
 */
const BACKOFF_MS = [500, 1000, 2000, 4000]

export interface ActivityReceiver {
  /** Id of the newest event seen; null to start with a snapshot. */
  readonly lastId: () => number | null
  readonly event: (event: ActivityEvent) => void
  /** First connection, or a position in the stream that the server no longer has: what is shown must be read again. */
  readonly snapshot: (snapshot: ActivitySnapshot) => void
  readonly status: (status: 'live' | 'offline') => void
  /** The server reports that nobody is signed in; the connection gives up. */
  readonly signedOut: () => void
}

/**
 * Keeps the activity stream open until the signal aborts: connects, resumes after the last seen id, and reconnects
 * after a failure, with growing pauses, or at once when the browser is online again.
 */
export async function runActivityConnection(receiver: ActivityReceiver, signal: AbortSignal): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    const outcome = await connectOnce(receiver, signal, () => (failures = 0))
    if (signal.aborted) return
    if (outcome === 'signed_out') return receiver.signedOut()
    // A stream that ended normally (server restart, a proxy's time limit) is reopened silently.
    if (outcome === 'failed' || outcome === 'replaced') receiver.status('offline')
    // Too many pages are open: this one reconnects when it becomes visible, so that it does not push out another.
    if (outcome === 'replaced') await looked(signal)
    await pause(BACKOFF_MS[Math.min(failures++, BACKOFF_MS.length - 1)] ?? 1000, signal)
  }
}

async function connectOnce(
  receiver: ActivityReceiver,
  signal: AbortSignal,
  opened: () => void,
): Promise<'ended' | 'failed' | 'signed_out' | 'replaced'> {
  const attempt = new AbortController()
  const stop = (): void => attempt.abort()
  signal.addEventListener('abort', stop, { once: true })
  window.addEventListener('offline', stop)
  let silence = setTimeout(stop, SILENCE_MS)
  try {
    const after = receiver.lastId()
    const response = await fetch(after === null ? PATH : `${PATH}?after=${after}`, {
      headers: { Accept: 'text/event-stream' },
      credentials: 'same-origin',
      cache: 'no-store',
      signal: attempt.signal,
    })
    if (response.status === 401) return 'signed_out'
    if (!response.ok || response.body === null) return 'failed'
    receiver.status('live')
    opened()
    const read = createEventStreamReader()
    const chunks = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await chunks.read()
      if (done) return 'ended'
      clearTimeout(silence)
      silence = setTimeout(stop, SILENCE_MS)
      for (const wire of read(value)) {
        if (wire.event === 'end') return 'replaced'
        deliver(wire, receiver)
      }
    }
  } catch {
    return 'failed'
  } finally {
    clearTimeout(silence)
    signal.removeEventListener('abort', stop)
    window.removeEventListener('offline', stop)
    attempt.abort()
  }
}

function deliver(wire: WireEvent, receiver: ActivityReceiver): void {
  const data = JSON.parse(wire.data) as unknown
  if (wire.event === 'snapshot' || wire.event === 'reset') {
    // `reset` may contain the snapshot or be followed by it.
    if (isSnapshot(data)) receiver.snapshot(data)
    return
  }
  receiver.event(data as ActivityEvent)
}

function isSnapshot(data: unknown): data is ActivitySnapshot {
  return typeof data === 'object' && data !== null && 'cursor' in data && 'events' in data
}

function looked(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      window.removeEventListener('focus', finish)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    window.addEventListener('focus', finish)
    signal.addEventListener('abort', finish)
  })
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      window.removeEventListener('online', finish)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    // Spread by up to a third, so that not every client reaches a restarted server at the same instant.
    const timer = setTimeout(finish, milliseconds * (1 + Math.random() / 3))
    window.addEventListener('online', finish)
    signal.addEventListener('abort', finish)
  })
}
