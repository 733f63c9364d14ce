import { useCallback, useRef, useState } from 'react'
import type { FileEntry, FileRef } from '../../contract/files.ts'
import { call } from '../api.ts'
import { ApiError } from '../api-error.ts'

/** A message on its way, and afterwards until the conversation itself shows it. */
export interface Outgoing {
  /** Where it was written; null in what was to become a new conversation. */
  readonly origin: string | null
  /** Where it is, once accepted. */
  readonly conversationId: string | null
  readonly text: string
  readonly files: readonly FileRef[]
  /** The message that it stands in for, when it is an edited one. */
  readonly edits?: string
  /** Null until the server has accepted it. */
  readonly runId: string | null
}

export interface Sending {
  readonly outgoing: Outgoing | null
  readonly error: unknown
  /** Sends once; a second call while one is under way does nothing. Resolves with what the server accepted, or null. */
  send(message: OutgoingMessage): Promise<{ conversation_id: string; run_id: string | null } | null>
  /** Another conversation is shown: forgets what belongs to the one before, but not a message that is under way. */
  moved(conversationId: string | null): void
  /** The conversation shows the message itself now (later it may show another branch). */
  arrived(): void
}

interface OutgoingMessage {
  /** Null makes a new conversation. */
  readonly conversationId: string | null
  readonly text: string
  readonly files: readonly FileEntry[]
  readonly key: string
}

/** Sends messages without waiting for their answers, which the activity stream tells. */
export function useSend(): Sending {
  const [outgoing, setOutgoing] = useState<Outgoing | null>(null)
  const [error, setError] = useState<unknown>(null)
  const busy = useRef(false)

  const send = useCallback(async ({ conversationId, text, files, key }: OutgoingMessage) => {
    if (busy.current) return null
    busy.current = true
    setError(null)
    setOutgoing({ origin: conversationId, conversationId, text, files, runId: null })
    try {
      const accepted = await call('POST /api/chat', {
        headers: { prefer: 'respond-async', 'idempotency-key': key },
        body: {
          message: text,
          conversation_id: conversationId,
          ...(files.length > 0 && { attachment_ids: files.map((file) => file.file_id) }),
        },
      })
      const run_id = 'run_id' in accepted ? accepted.run_id : null
      const accepted_id = accepted.conversation_id
      setOutgoing(
        run_id === null ? null : { origin: conversationId, conversationId: accepted_id, text, files, runId: run_id },
      )
      return { conversation_id: accepted.conversation_id, run_id }
    } catch (thrown) {
      setOutgoing(null)
      setError(thrown)
      return null
    } finally {
      busy.current = false
    }
  }, [])
  const moved = useCallback((conversationId: string | null) => {
    setError(null)
    setOutgoing((before) => (before?.runId && before.conversationId !== conversationId ? null : before))
  }, [])
  const arrived = useCallback(() => setOutgoing(null), [])
  return { outgoing, error, send, moved, arrived }
}

/** Whether the server may have begun a run for the request that failed so: then the next attempt must carry the same key. */
export function mayHaveStarted(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500
}
