import { useCallback, useMemo, useRef, useState } from 'react'
import type { FileRef } from '../../../contract/files.ts'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { toast } from '../../parts/feedback/toast.tsx'
import { newIdempotencyKey } from '../composer/idempotency-key.ts'
import { mayHaveStarted, type Outgoing } from '../composer/use-send.ts'

/** Revisions of a conversation: each creates or shows a branch and overwrites nothing. */
export interface Revision {
  /** Adds a new text as an alternative to a user's message. Rejects with the reason for a refusal. */
  edit(messageId: string, text: string, files: readonly FileRef[]): Promise<void>
  /** Requests another answer as an alternative to this one; failure is reported in a toast. */
  retry(messageId: string): Promise<void>
  /** Shows the branch with this message; failure is reported in a toast. */
  choose(messageId: string): Promise<void>
}

interface RevisionHandle {
  readonly revision: Revision
  /** An edit that the conversation does not show yet. */
  readonly outgoing: Outgoing | null
  /** Called once the conversation shows it itself. */
  arrived(): void
}

/**
 * Edits messages, regenerates answers, and switches branches. `started` is called for the run that an edit or a retry
 * has started, `chosen` when another branch is shown.
 */
export function useRevision(
  conversationId: string | null,
  started: (conversationId: string, runId: string) => void,
  chosen: () => void,
): RevisionHandle {
  const [outgoing, setOutgoing] = useState<Outgoing | null>(null)
  const busy = useRef(false)
  /** Repeating an attempt carries the same key, so that it cannot start two runs. */
  const attempt = useRef<{ what: string; key: string } | null>(null)

  const begin = useCallback(
    async (what: string, request: (key: string) => Promise<{ conversation_id: string; run_id?: string }>) => {
      if (busy.current) return null
      busy.current = true
      const key = attempt.current?.what === what ? attempt.current.key : newIdempotencyKey()
      attempt.current = { what, key }
      try {
        const accepted = await request(key)
        attempt.current = null
        if (accepted.run_id !== undefined) started(accepted.conversation_id, accepted.run_id)
        return accepted.run_id ?? null
      } catch (error) {
        if (!mayHaveStarted(error)) attempt.current = null
        throw error
      } finally {
        busy.current = false
      }
    },
    [started],
  )

  const revision = useMemo<Revision>(() => {
    const tell = (error: unknown): void => toast({ text: explainError(error), tone: 'danger' })
    const headers = (key: string) => ({ prefer: 'respond-async', 'idempotency-key': key })
    return {
      async edit(edits, text, files) {
        if (conversationId === null) return
        const run = await begin(`edit ${edits} ${text}`, (key) =>
          call('POST /api/chat', {
            headers: headers(key),
            body: {
              message: text,
              conversation_id: conversationId,
              edits,
              ...(files.length > 0 && { attachment_ids: files.map((file) => file.file_id) }),
            },
          }),
        )
        if (run !== null) setOutgoing({ origin: conversationId, conversationId, text, files, edits, runId: run })
      },
      async retry(message_id) {
        if (conversationId === null) return
        await begin(`retry ${message_id}`, (key) =>
          call('POST /api/chat/retry', {
            headers: headers(key),
            body: { conversation_id: conversationId, message_id },
          }),
        ).catch(tell)
      },
      async choose(message_id) {
        if (conversationId === null) return
        try {
          const params = { conversation_id: conversationId }
          await call('POST /api/chat/conversations/{conversation_id}/branch', { params, body: { message_id } })
          chosen()
        } catch (error) {
          tell(error)
        }
      },
    }
  }, [conversationId, begin, chosen])
  const arrived = useCallback(() => setOutgoing(null), [])
  return { revision, outgoing: outgoing?.conversationId === conversationId ? outgoing : null, arrived }
}
