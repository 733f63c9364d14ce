import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useId, useLayoutEffect, useMemo, useRef } from 'react'
import type { FileEntry, FileRef } from '../../../contract/files.ts'
import { call } from '../../client/api.ts'
import { ApiError } from '../../client/api-error.ts'
import { forNew } from './engine-choice.ts'

/** A message being sent, kept until the conversation itself shows it. */
export interface Outgoing {
  /** Where it was written; null for a new conversation. */
  readonly origin: string | null
  /** The conversation it is in, once accepted. */
  readonly conversationId: string | null
  readonly text: string
  readonly files: readonly FileRef[]
  /** The message it replaces, when it is an edit. */
  readonly edits?: string
  /** Null until the server has accepted it. */
  readonly runId: string | null
}

export interface Sending {
  readonly outgoing: Outgoing | null
  readonly error: unknown
  /** Sends once; a second call while one is in progress resolves with null. Rejects with the reason for a refusal. */
  send(message: OutgoingMessage): Promise<{ conversation_id: string; run_id: string | null } | null>
  /** Another conversation is shown: forgets what belonged to the previous one, except a message being sent. */
  moved(conversationId: string | null): void
  /** The conversation now shows the message itself (later it may show another branch). */
  arrived(): void
}

interface OutgoingMessage {
  /** Null creates a new conversation. */
  readonly conversationId: string | null
  readonly text: string
  readonly files: readonly FileEntry[]
  readonly key: string
}

/** Sends messages without waiting for their answers, which arrive over the activity stream. */
export function useSend(): Sending {
  const client = useQueryClient()
  const id = useId()
  const mutationKey = useMemo(() => ['send-message', id], [id])
  const sending = useMutation({
    mutationKey,
    mutationFn: sendMessage,
    // Without a connection it fails immediately: a message must not be sent later on its own.
    networkMode: 'always',
  })
  const { status, variables, data, error, mutateAsync, reset } = sending
  const outgoing = useMemo(
    () => (variables === undefined || status === 'error' ? null : outgoingOf(variables, data)),
    [status, variables, data],
  )
  const latest = useRef({ status, outgoing })
  useLayoutEffect(() => {
    latest.current = { status, outgoing }
  })
  const send = useCallback(
    async (message: OutgoingMessage) => (client.isMutating({ mutationKey }) > 0 ? null : mutateAsync(message)),
    [client, mutationKey, mutateAsync],
  )
  const moved = useCallback(
    (conversationId: string | null) => {
      const { status: now, outgoing: before } = latest.current
      if (now !== 'pending' && before?.conversationId !== conversationId) reset()
    },
    [reset],
  )
  return { outgoing, error, send, moved, arrived: reset }
}

async function sendMessage({ conversationId, text, files, key }: OutgoingMessage) {
  const accepted = await call('POST /api/chat', {
    headers: { prefer: 'respond-async', 'idempotency-key': key },
    body: {
      message: text,
      conversation_id: conversationId,
      ...(conversationId === null && chosenForNew()),
      ...(files.length > 0 && { attachment_ids: files.map((file) => file.file_id) }),
    },
  })
  return { conversation_id: accepted.conversation_id, run_id: 'run_id' in accepted ? accepted.run_id : null }
}

function chosenForNew() {
  const { engine, modules } = forNew.choices
  return { ...(engine !== null && { engine }), ...(modules !== null && { modules }) }
}

/** Null for a message that started no run: the conversation already shows it. */
function outgoingOf(message: OutgoingMessage, accepted: Awaited<ReturnType<typeof sendMessage>> | undefined) {
  const { conversationId, text, files } = message
  if (accepted === undefined) return { origin: conversationId, conversationId, text, files, runId: null }
  const { conversation_id, run_id } = accepted
  return run_id === null
    ? null
    : { origin: conversationId, conversationId: conversation_id, text, files, runId: run_id }
}

/** Whether the server may have started a run despite this error: the next attempt must then carry the same key. */
export function mayHaveStarted(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500
}
