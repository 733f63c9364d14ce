import { type Dispatch, useCallback, useEffect, useReducer, useRef, useState } from 'react'
import type { ActivityEvent } from '../../contract/chat.ts'
import { call } from '../api.ts'
import { ApiError } from '../api-error.ts'
import { useActivity } from '../live.ts'
import {
  type ConversationAction,
  conversationReducer,
  type ConversationState,
  emptyConversation,
} from './conversation-state.ts'

/** Several events of one moment lead to one fetch. */
const SETTLE_MS = 50
const RETRY_MS = 2000
const PAGE = 50

export interface Conversation {
  readonly state: ConversationState
  /** Loads the page before the oldest message (`limit` messages); resolves when it is shown. */
  loadOlder(limit?: number): Promise<void>
  /** After a failed load: tries again. */
  reload(): void
  /** A message was accepted: shows its run before the stream tells of it. */
  started(conversationId: string, runId: string): void
  /** The newest messages are other ones now: reads them again, before the stream tells of it. */
  refresh(): void
}

/** One conversation as the server and the activity stream tell it, kept up to date while it is shown. */
export function useConversation(conversationId: string | null): Conversation {
  const [stored, dispatch] = useReducer(conversationReducer, conversationId, emptyConversation)
  // Between the change of the id and the effect that opens it, the old conversation must not show under the new name.
  const state = stored.conversationId === conversationId ? stored : emptyConversation(conversationId)
  const [attempt, setAttempt] = useState(0)
  const reload = useCallback(() => setAttempt((before) => before + 1), [])

  useEffect(() => {
    dispatch({ type: 'open', conversationId })
    if (conversationId === null) return
    const abort = new AbortController()
    void load(conversationId, dispatch, abort.signal)
    return () => abort.abort()
  }, [conversationId, attempt])

  useActivity((signal) => {
    if (signal.kind === 'resync') dispatch({ type: 'resync' })
    else if (state.phase === 'deleted' && isOf(signal.event, conversationId, 'conversation.updated')) reload()
    else dispatch({ type: 'event', event: signal.event })
  })
  useStaleFetch(stored, dispatch)

  const loadingOlder = useRef(false)
  const loadOlder = useCallback(
    async (limit = PAGE) => {
      if (loadingOlder.current || conversationId === null || state.nextBefore === null) return
      loadingOlder.current = true
      try {
        const page = await call('GET /api/chat/conversations/{conversation_id}', {
          params: { conversation_id: conversationId },
          query: { before: state.nextBefore, limit },
        })
        dispatch({ type: 'older', conversationId, messages: page.messages, nextBefore: page.next_before })
      } finally {
        loadingOlder.current = false
      }
    },
    [conversationId, state.nextBefore],
  )

  const refresh = useCallback(() => dispatch({ type: 'resync' }), [])
  const started = useCallback((id: string, runId: string) => {
    dispatch({ type: 'run', conversationId: id, activeRun: { run_id: runId, status: 'thinking' } })
    dispatch({ type: 'resync' })
  }, [])
  return { state, loadOlder, reload, started, refresh }
}

async function load(
  conversationId: string,
  dispatch: Dispatch<ConversationAction>,
  signal: AbortSignal,
): Promise<void> {
  try {
    const params = { conversation_id: conversationId }
    const page = await call('GET /api/chat/conversations/{conversation_id}', { params, query: { limit: PAGE }, signal })
    dispatch({ type: 'loaded', conversationId, page })
  } catch (error) {
    if (signal.aborted) return
    dispatch(isNotFound(error) ? { type: 'gone', conversationId } : { type: 'load_failed', conversationId, error })
  }
}

/** Fetches what the state says is stale, one batch at a time so that an older answer never arrives after a newer one. */
function useStaleFetch(state: ConversationState, dispatch: Dispatch<ConversationAction>): void {
  const [busy, setBusy] = useState(false)
  const { conversationId, phase, stale, tailStale } = state
  useEffect(() => {
    if (busy || phase !== 'ready' || conversationId === null || (stale.length === 0 && !tailStale)) return
    const timer = setTimeout(() => {
      setBusy(true)
      dispatch({ type: 'fetching', stale, tail: tailStale })
      void fetchStale(conversationId, stale, tailStale, dispatch).finally(() => setBusy(false))
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [busy, conversationId, phase, stale, tailStale, dispatch])
}

async function fetchStale(
  conversationId: string,
  stale: readonly string[],
  tail: boolean,
  dispatch: Dispatch<ConversationAction>,
): Promise<void> {
  try {
    if (tail) {
      const params = { conversation_id: conversationId }
      const page = await call('GET /api/chat/conversations/{conversation_id}', { params, query: { limit: PAGE } })
      dispatch({ type: 'tail', conversationId, page })
    }
    for (const message_id of stale) {
      const params = { conversation_id: conversationId, message_id }
      const { message } = await call('GET /api/chat/conversations/{conversation_id}/messages/{message_id}', { params })
      dispatch({ type: 'message', conversationId, message })
    }
  } catch (error) {
    if (isNotFound(error) && tail) {
      dispatch({ type: 'gone', conversationId })
      return
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    dispatch({ type: 'resync' })
  }
}

function isOf(event: ActivityEvent, conversationId: string | null, type: ActivityEvent['type']): boolean {
  return event.type === type && event.conversation_id === conversationId
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_found'
}
