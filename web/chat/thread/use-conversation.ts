import { type Dispatch, useCallback, useEffect, useReducer, useRef, useState } from 'react'
import type { ActivityEvent } from '../../../contract/chat.ts'
import { type ActiveRun, addRun, useActiveRun } from '../../client/run-cache.ts'
import { call } from '../../client/api.ts'
import { ApiError } from '../../client/api-error.ts'
import { useActivity } from '../../client/activity/use-activity.ts'
import { activeRunsQuery, conversationTitleQuery, mayBeQueuedQuery } from '../../client/queries.ts'
import { queryClient } from '../../client/query-client.ts'
import {
  type ConversationAction,
  conversationReducer,
  type ConversationState,
  emptyConversation,
} from './conversation-state.ts'

/** Events within this many milliseconds lead to a single fetch. */
const SETTLE_MS = 50
const RETRY_MS = 2000
/** Messages of an older page; the newest page is as large as the server makes it. */
const PAGE = 50

export interface Conversation {
  readonly state: ConversationState
  readonly activeRun: ActiveRun | null
  /** Loads up to `limit` messages before the oldest one; resolves when they are shown. */
  loadOlder(limit?: number): Promise<void>
  /** Loads the conversation again, for example after a failure. */
  reload(): void
  /** A message was accepted: shows its run before the stream reports it. */
  started(conversationId: string, runId: string): void
  /** The newest messages have changed: reads them again before the stream reports it. */
  refresh(): void
}

/** One conversation from the server, kept up to date by the activity stream while it is shown. */
export function useConversation(conversationId: string | null): Conversation {
  const [stored, dispatch] = useReducer(conversationReducer, conversationId, emptyConversation)
  // Between a change of the id and the effect that opens it, the old conversation must not appear under the new id.
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
    addRun(id, runId)
    dispatch({ type: 'resync' })
  }, [])
  return { state, activeRun: useActiveRun(conversationId), loadOlder, reload, started, refresh }
}

async function load(
  conversationId: string,
  dispatch: Dispatch<ConversationAction>,
  signal: AbortSignal,
): Promise<void> {
  try {
    // Runs are loaded first, so that a message's actions do not change right after it appears.
    const runs = queryClient.ensureQueryData(activeRunsQuery).catch(() => undefined)
    const page = await fetchTail(conversationId, signal)
    await runs
    if (!signal.aborted) dispatch({ type: 'loaded', conversationId, page })
  } catch (error) {
    if (signal.aborted) return
    dispatch(isNotFound(error) ? { type: 'gone', conversationId } : { type: 'load_failed', conversationId, error })
  }
}

/**
 * Reads the newest page and caches the title that comes with it, unless an event has brought another one meanwhile: the
 * page may have been read before that. Without a query, because the server announces exactly this address with the page
 * (server/http/page-preloads.ts).
 */
async function fetchTail(conversationId: string, signal?: AbortSignal) {
  const title = conversationTitleQuery(conversationId).queryKey
  const timesSet = (): number => queryClient.getQueryState(title)?.dataUpdateCount ?? 0
  const before = timesSet()
  const page = await call('GET /api/chat/conversations/{conversation_id}', {
    params: { conversation_id: conversationId },
    ...(signal && { signal }),
  })
  if (page.title !== null && timesSet() === before) queryClient.setQueryData(title, page.title)
  if (page.queued > 0) queryClient.setQueryData(mayBeQueuedQuery(conversationId).queryKey, true)
  return page
}

/**
 * Fetches what the state marks as stale, one batch at a time so that an older response never arrives after a newer one.
 */
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
      dispatch({ type: 'tail', conversationId, page: await fetchTail(conversationId) })
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
