import type { QueryKey } from '@tanstack/react-query'
import type { ActivityEvent } from '../../../contract/chat.ts'
import { call } from '../../client/api.ts'
import type { ActivitySignal } from '../../client/activity/activity-feed.ts'
import { queryClient } from '../../client/query-client.ts'
import {
  type ConversationEntry,
  type ConversationPage,
  type ConversationPages,
  entriesOf,
  withEntry,
  withFreshHead,
  withoutEntry,
  withPatch,
} from './conversation-pages.ts'

/** What a list shows. `folderId` null: all folders. */
export interface ListQuestion {
  readonly kind: 'pinned' | 'others' | 'found' | 'bin'
  readonly folderId: string | null
  /** Only for `found`. */
  readonly q: string
}

/** A burst of events leads to a single request, after this many milliseconds. */
const SETTLE_MS = 80
const PAGE = 50
/** Whoever scrolls that far wants to see more at once. */
const LATER_PAGE = 200
/** The group of pinned conversations is shown whole. */
const PINNED_PAGE = 200
const ROOT = 'conversation-list'

export function listKey(question: ListQuestion): QueryKey {
  return [ROOT, question]
}

export function fetchList(
  { kind, folderId, q }: ListQuestion,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ConversationPage> {
  return call('GET /api/chat/conversations', {
    query: {
      limit: kind === 'pinned' ? PINNED_PAGE : cursor === null || kind === 'found' ? PAGE : LATER_PAGE,
      ...(kind === 'found' && { q }),
      ...(kind === 'bin' && { deleted: 'true' }),
      ...(kind === 'pinned' && { pinned: 'true' }),
      ...(kind === 'others' && { pinned: 'false' }),
      ...(folderId !== null && { folder_id: folderId }),
      ...(cursor !== null && { cursor }),
    },
    ...(signal && { signal }),
  })
}

/**
 * Updates every shown list for one activity signal: what the event contains is applied at once; what it does not
 * (order, snippets) is read again, but only the newest page. A list of a thousand conversations thus costs no more than
 * one of ten.
 */
export function updateLists(signal: ActivitySignal): void {
  if (signal.kind === 'resync') return readAllAgain()
  const { event } = signal
  const id = event.conversation_id
  if (event.type === 'folder.changed') readNewestSoon()
  if (id === undefined || isUnlisted(id, event)) return
  if (event.type === 'conversation.deleted') {
    eachList((data, { kind }) => (kind === 'bin' ? data : withoutEntry(data, id)))
    readAgain('bin')
  } else if (event.type === 'conversation.updated') {
    applyUpdate(id, event)
  } else if (/^run\.(started|completed|failed|cancelled|interrupted)$/.test(event.type)) {
    readNewestSoon()
  }
}

/**
 * Whether it is a call of an MCP client, which no list has and which there may be many of. Once a person goes on with one,
 * its event says so no more.
 */
function isUnlisted(id: string, { type, unlisted }: ActivityEvent): boolean {
  if (type !== 'conversation.updated') return unlistedIds.has(id)
  if (unlisted !== true) unlistedIds.delete(id)
  else if (unlistedIds.add(id).size > UNLISTED) unlistedIds.delete([...unlistedIds][0]!)
  return unlisted === true
}
const unlistedIds = new Set<string>()
/** The newest are enough: further events of a call come soon after its first one. */
const UNLISTED = 200

/** Reads the newest page shortly. Also used after changes made here, in case the stream is down. */
export function readNewestSoon(): void {
  clearTimeout(timer)
  timer = setTimeout(() => void readNewest(), SETTLE_MS)
}
let timer: ReturnType<typeof setTimeout> | undefined

function applyUpdate(id: string, event: ActivityEvent): void {
  const patch: Partial<ConversationEntry> = {
    ...(typeof event.title === 'string' && { title: event.title }),
    ...(typeof event.pinned === 'boolean' && { pinned: event.pinned }),
    ...(event.folder_id !== undefined && { folder_id: event.folder_id as string | null }),
  }
  if (event.branch === true || (event['queued'] === true && Object.keys(patch).length === 0)) return
  const known = findEntry(id)
  // Restored, imported or never loaded: only the server knows its position.
  if (!known || Object.keys(patch).length === 0) return readAllAgain()
  const entry = { ...known, ...patch }
  eachList((data, { kind, folderId }) => {
    if (kind === 'bin') return data
    if (folderId !== null && folderId !== entry.folder_id) return withoutEntry(data, id)
    if (kind === 'found') return withPatch(data, id, patch)
    return entry.pinned === (kind === 'pinned') ? withEntry(data, entry) : withoutEntry(data, id)
  })
}

function lists() {
  return queryClient.getQueryCache().findAll({ queryKey: [ROOT] })
}

function questionOf(key: QueryKey): ListQuestion {
  return key[1] as ListQuestion
}

function eachList(change: (data: ConversationPages, question: ListQuestion) => ConversationPages): void {
  for (const query of lists()) {
    // A page in flight was requested before the change and would undo it.
    if (query.state.fetchStatus === 'fetching') readNewestSoon()
    const data = query.state.data as ConversationPages | undefined
    if (data) queryClient.setQueryData(query.queryKey, change(data, questionOf(query.queryKey)))
  }
}

function findEntry(id: string): ConversationEntry | null {
  for (const query of lists()) {
    const { kind } = questionOf(query.queryKey)
    const data = query.state.data as ConversationPages | undefined
    if (!data || kind === 'bin') continue
    const entry = entriesOf(data).find((item) => item.conversation_id === id)
    // A snippet belongs to the search that found it.
    if (entry) return { ...entry, snippet: null, hit: null }
  }
  return null
}

function readAllAgain(): void {
  void queryClient.invalidateQueries({ queryKey: [ROOT] })
}

function readAgain(kind: ListQuestion['kind']): void {
  void queryClient.invalidateQueries({
    predicate: ({ queryKey }) => queryKey[0] === ROOT && questionOf(queryKey).kind === kind,
  })
}

async function readNewest(): Promise<void> {
  for (const query of lists()) {
    const question = questionOf(query.queryKey)
    if (question.kind === 'found' || question.kind === 'bin' || query.getObserversCount() === 0) continue
    if (query.state.fetchStatus === 'fetching') {
      readNewestSoon()
      continue
    }
    try {
      const fresh = await fetchList(question, null)
      queryClient.setQueryData(
        query.queryKey,
        (data: ConversationPages | undefined) => data && withFreshHead(data, fresh),
      )
    } catch {
      // When the connection is back, the stream signals `resync` and everything is read again.
    }
  }
}
