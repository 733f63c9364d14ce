import { useEffect, useState } from 'react'
import type { JournalEnded, JournalLines } from '../../../contract/host-journal.ts'
import { JOURNAL_LIMITS } from '../../../contract/journal-values.ts'
import { activityFeed } from '../../client/activity/use-activity.ts'
import { call } from '../../client/api.ts'
import { type JournalRow, withLines } from './journal-rows.ts'

/** Of typing, before what was written counts. */
const SETTLED_MS = 500
const KEEP_MS = (JOURNAL_LIMITS.lease_s * 1000) / 3
/** The service gives a sign of life every 15 seconds. */
const SILENT_MS = 45_000

export interface JournalFilter {
  readonly unit: string
  /** Empty: all. */
  readonly priority: '' | 'err' | 'warning' | 'notice'
  readonly contains: string
}

export type JournalState =
  | { readonly kind: 'starting' | 'live' }
  /** `silent`: the service itself is not heard of. */
  | { readonly kind: 'ended'; readonly reason: JournalEnded['reason'] | 'silent'; readonly text: string }
  | { readonly kind: 'failed'; readonly error: unknown }

export interface Journal {
  readonly state: JournalState
  /** The file that is followed where there is no journal. */
  readonly path: string | null
  readonly rows: readonly JournalRow[]
}

const BEGINNING: Journal = { state: { kind: 'starting' }, path: null, rows: [] }

/** Follows the log of a machine as long as this is shown. `turn`: another number begins anew. */
export function useJournal(host_id: string, { unit, priority, contains }: JournalFilter, turn: number): Journal {
  const [journal, setJournal] = useState(BEGINNING)
  useEffect(() => {
    const timer = setTimeout(() => {
      stop = start(host_id, { unit, priority, contains }, setJournal)
    }, SETTLED_MS)
    let stop = (): void => clearTimeout(timer)
    return () => {
      clearTimeout(timer)
      stop()
      setJournal(BEGINNING)
    }
  }, [host_id, unit, priority, contains, turn])
  return journal
}

type Change = (change: (before: Journal) => Journal) => void

/** Gives back what ends it. */
function start(host_id: string, { unit, priority, contains }: JournalFilter, change: Change): () => void {
  const follow_key = newId()
  const about = { params: { host_id }, body: { follow_key } }
  let over = false
  const leave = (state: JournalState | null): void => {
    if (over) return
    over = true
    clearTimeout(silence)
    clearInterval(keeping)
    unsubscribe()
    if (state !== null) change((before) => ({ ...before, state }))
  }
  const onSilence = (): void => leave({ kind: 'ended', reason: 'silent', text: '' })
  let silence = setTimeout(onSilence, SILENT_MS)
  const keeping = setInterval(() => {
    call('POST /api/hosts/{host_id}/journal/keep', about).catch((error: unknown) =>
      // What is unreachable for a moment is told by the silence.
      isRefusal(error) ? leave({ kind: 'failed', error }) : undefined,
    )
  }, KEEP_MS)
  const unsubscribe = activityFeed.subscribe((signal) => {
    if (signal.kind !== 'event' || signal.event['follow_key'] !== follow_key) return
    clearTimeout(silence)
    silence = setTimeout(onSilence, SILENT_MS)
    const { event } = signal
    if (event.type === 'journal.lines') {
      const told = event as unknown as JournalLines
      change(({ rows }) => ({ state: { kind: 'live' }, path: told.path, rows: withLines(rows, told) }))
    } else if (event.type === 'journal.ended') {
      const { reason, text } = event as unknown as JournalEnded
      leave({ kind: 'ended', reason, text })
    }
  })
  const body = {
    follow_key,
    ...(unit.trim() !== '' && { unit: unit.trim() }),
    ...(priority !== '' && { priority }),
    ...(contains !== '' && { contains }),
  }
  call('POST /api/hosts/{host_id}/journal', { params: { host_id }, body }).catch((error: unknown) =>
    leave({ kind: 'failed', error }),
  )
  return () => {
    if (over) return
    leave(null)
    // Whoever does not hear of it notices that nobody keeps it.
    call('POST /api/hosts/{host_id}/journal/stop', about).catch(() => undefined)
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'status' in error && Number(error.status) >= 400 && Number(error.status) < 500
}

/** 32 hexadecimal digits; also where the page was not loaded over TLS. */
function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
