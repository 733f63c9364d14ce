import { beforeEach, expect, test } from 'vitest'
import { ACTIVITY_TYPES } from '../../../contract/activity.ts'
import { commandsQuery } from '../../commands/commands-query.ts'
import { fileQuery } from '../../files/files-query.ts'
import { moduleQuery } from '../../modules/list/module-queries.ts'
import {
  activeRunsQuery,
  handoversQuery,
  othersApprovalsQuery,
  pendingApprovalsQuery,
  recentConversationsQuery,
  toolsQuery,
} from '../queries.ts'
import { watchesQuery } from '../../watches/watches-query.ts'
import { routinesQuery } from '../../routines/routines-query.ts'
import { hostsQuery } from '../../hosts/hosts-query.ts'
import { unreadNoticesQuery } from '../../notices/notices-query.ts'
import { proceduresQuery } from '../../procedures/procedures-query.ts'
import { queryClient } from '../query-client.ts'
import { refreshOn } from './refresh-on-activity.ts'

/** One query of each family that several pages share, under its real key. */
const SHARED = {
  approvals: pendingApprovalsQuery.queryKey,
  others: othersApprovalsQuery.queryKey,
  handovers: handoversQuery.queryKey,
  runs: activeRunsQuery.queryKey,
  conversations: recentConversationsQuery.queryKey,
  tools: toolsQuery.queryKey,
  commands: commandsQuery.queryKey,
  procedures: proceduresQuery.queryKey,
  routines: routinesQuery.queryKey,
  modules: moduleQuery('disk').queryKey,
  files: fileQuery('fil_1').queryKey,
  hosts: hostsQuery.queryKey,
  notices: unreadNoticesQuery.queryKey,
  watches: watchesQuery.queryKey,
} as const
type Shared = keyof typeof SHARED

const OF_RUN: readonly Shared[] = ['approvals', 'conversations', 'runs']
/** What each event makes stale. Complete: an unconsidered event type fails here and does not compile there. */
const STALE: Readonly<Record<string, readonly Shared[]>> = {
  'run.started': OF_RUN,
  'run.delta': [],
  'run.waiting': OF_RUN,
  'run.completed': OF_RUN,
  'run.failed': OF_RUN,
  'run.cancelled': OF_RUN,
  'run.interrupted': OF_RUN,
  'tool.started': [],
  'tool.progress': [],
  'tool.finished': [],
  'approval.requested': ['approvals', 'runs'],
  'approval.decided': ['approvals', 'runs'],
  'approval.voted': ['approvals', 'runs'],
  'conversation.updated': ['conversations', 'runs'],
  'conversation.deleted': ['conversations', 'runs'],
  'handover.changed': ['handovers', 'others'],
  'folder.changed': [],
  'file.created': ['files'],
  'module.changed': ['modules', 'tools'],
  'routine.changed': ['routines'],
  'command.changed': ['commands'],
  'procedure.changed': ['procedures'],
  'elevation.changed': ['others', 'tools'],
  'host.changed': ['hosts'],
  'notice.changed': ['notices'],
  'watch.changed': ['watches'],
  'journal.lines': [],
  'journal.ended': [],
}

beforeEach(() => {
  queryClient.clear()
  for (const queryKey of Object.values(SHARED)) queryClient.setQueryData<unknown>(queryKey, { items: [] })
})

function staleNow(): readonly string[] {
  return Object.entries(SHARED)
    .filter(([, queryKey]) => queryClient.getQueryState(queryKey)?.isInvalidated === true)
    .map(([name]) => name)
    .sort()
}

test.each(ACTIVITY_TYPES)('%s makes stale what it changes, and nothing else', (type) => {
  refreshOn({ kind: 'event', event: { id: 1, type, at: '2026-01-01T00:00:00Z' } })
  expect(staleNow()).toEqual(STALE[type])
})

test('a lost place in the stream makes everything stale that an event could', () => {
  const snapshot = { events: [], active: 0, cancellable: false, server_time: 0, cursor: 1 }
  refreshOn({ kind: 'resync', snapshot })
  expect(staleNow()).toEqual(Object.keys(SHARED).sort())
})

test('an event about somebody else’s card makes only those stale', () => {
  refreshOn({
    kind: 'event',
    event: { id: 1, type: 'approval.requested', others: true, at: '2026-01-01T00:00:00Z' },
  })
  expect(staleNow()).toEqual(['others'])
})
