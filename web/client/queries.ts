import { queryOptions, skipToken } from '@tanstack/react-query'
import { call, setCsrfToken } from './api.ts'
import type { Output } from './api-types.ts'

export type Session = Output<'GET /api/auth/session'>
export type SessionUser = Session['user']
export type Approval = Output<'GET /api/chat/approvals'>['items'][number]
export type OthersApproval = Output<'GET /api/approvals'>['items'][number]

/**
 * Data that several pages read, each under one key, so that an event (refresh-on-activity) can make it stale
 * everywhere.
 */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => {
    const session = await call('GET /api/auth/session', { signal })
    setCsrfToken(session.csrf_token)
    return session
  },
  staleTime: 5 * 60_000,
  retry: false,
})

export const pendingApprovalsQuery = queryOptions({
  queryKey: ['approvals', 'pending'],
  queryFn: ({ signal }) => call('GET /api/chat/approvals', { query: { status: 'pending', limit: 200 }, signal }),
})

/** Cards of others that wait for the caller's vote or have it. Events about them say so (refresh-on-activity). */
export const othersApprovalsQuery = queryOptions({
  queryKey: ['others-approvals'],
  queryFn: ({ signal }) =>
    call('GET /api/approvals', { query: { for: 'others', status: 'pending', limit: 200 }, signal }),
  staleTime: 60_000,
})

export const activeRunsQuery = queryOptions({
  queryKey: ['runs'],
  queryFn: ({ signal }) => call('GET /api/chat/runs', { signal }),
})

/**
 * Title of a conversation that is or was open. It has no request of its own: reading the conversation caches it
 * (use-conversation), and changes arrive as events (refresh-on-activity).
 */
export function conversationTitleQuery(conversationId: string | null) {
  return queryOptions<string>({ queryKey: ['conversation-title', conversationId], queryFn: skipToken })
}

/** Whether messages may be queued in a conversation. Like its title, it comes with the conversation and with events. */
export function mayBeQueuedQuery(conversationId: string | null) {
  return queryOptions<boolean>({ queryKey: ['conversation-queued', conversationId], queryFn: skipToken })
}

export const recentConversationsQuery = queryOptions({
  queryKey: ['conversations', 'recent'],
  queryFn: ({ signal }) => call('GET /api/chat/conversations', { query: { limit: 8 }, signal }),
})

export const toolsQuery = queryOptions({
  queryKey: ['tools'],
  queryFn: ({ signal }) => call('GET /api/chat/tools', { signal }),
  staleTime: 60_000,
})
