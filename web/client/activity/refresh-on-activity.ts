import type { ActivityEvent } from '../../../contract/chat.ts'
import { applyToRuns } from '../run-cache.ts'
import { conversationTitleQuery, mayBeQueuedQuery, sessionQuery } from '../queries.ts'
import { queryClient } from '../query-client.ts'
import type { ActivitySignal } from './activity-feed.ts'
import { useActivity } from './use-activity.ts'

/**
 * First part of the query key of data that several pages read (queries.ts, and the queries of commands, modules and
 * files).
 */
type Family =
  | 'approvals'
  | 'others-approvals'
  | 'handovers'
  | 'runs'
  | 'conversations'
  | 'tools'
  | 'commands'
  | 'procedures'
  | 'modules'
  | 'files'
  | 'hosts'
  | 'notices'
  | 'routines'
  | 'watches'

const RUN: readonly Family[] = ['runs', 'conversations', 'approvals']
const APPROVAL: readonly Family[] = ['approvals', 'runs']
/** Of somebody else's card. */
const OTHERS: readonly Family[] = ['others-approvals']
const CONVERSATION: readonly Family[] = ['conversations', 'runs']
/** Only the shown conversation changes, and it handles the event itself. */
const NONE: readonly Family[] = []

/** The query families that an event of this type makes stale. A type missing here does not compile. */
const STALE: Readonly<Record<ActivityEvent['type'], readonly Family[]>> = {
  'run.started': RUN,
  'run.delta': NONE,
  'run.waiting': RUN,
  'run.completed': RUN,
  'run.failed': RUN,
  'run.cancelled': RUN,
  'run.interrupted': RUN,
  'tool.started': NONE,
  'tool.progress': NONE,
  'tool.finished': NONE,
  'approval.requested': APPROVAL,
  'approval.decided': APPROVAL,
  'approval.voted': APPROVAL,
  'conversation.updated': CONVERSATION,
  'conversation.deleted': CONVERSATION,
  'handover.changed': [...OTHERS, 'handovers'],
  // Only the conversation list shows folders; it refreshes itself (conversation-list-cache).
  'folder.changed': NONE,
  'file.created': ['files'],
  'module.changed': ['tools', 'modules'],
  'command.changed': ['commands'],
  'routine.changed': ['routines'],
  'procedure.changed': ['procedures'],
  // With them, requests for a role: those of the user, too.
  'elevation.changed': [...OTHERS, 'tools'],
  'host.changed': ['hosts'],
  'notice.changed': ['notices'],
  'watch.changed': ['watches'],
  // Whoever follows a log reads them.
  'journal.lines': NONE,
  'journal.ended': NONE,
}

/** Makes the shared queries stale when an event says that their data has changed. */
export function useRefreshOnActivity(): void {
  useActivity(refreshOn)
}

/** The same for one signal. After a lost position in the stream, everything is read again. */
export function refreshOn(signal: ActivitySignal): void {
  if (signal.kind === 'event') apply(signal.event)
  const stale = signal.kind === 'resync' ? [...Object.values(STALE).flat(), ...OTHERS] : staleAfter(signal.event)
  for (const family of new Set(stale)) void queryClient.invalidateQueries({ queryKey: [family] })
}

function staleAfter({ type, others }: ActivityEvent): readonly Family[] {
  return others === true ? OTHERS : STALE[type]
}

/** What an event says by itself is applied without asking the server. */
function apply(event: ActivityEvent): void {
  applyToRuns(event)
  // Not after every lost position: the session is read with each page anyway.
  if (event.type === 'elevation.changed') void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
  const { type, conversation_id: conversationId, title, queued } = event
  if (queued === true && conversationId !== undefined)
    queryClient.setQueryData(mayBeQueuedQuery(conversationId).queryKey, true)
  if (type === 'conversation.updated' && conversationId !== undefined && typeof title === 'string')
    queryClient.setQueryData(conversationTitleQuery(conversationId).queryKey, title)
}
