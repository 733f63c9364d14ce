import { type InfiniteData, keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useActivity } from '../../client/activity/use-activity.ts'
import { fetchList, listKey, type ListQuestion, updateLists } from './conversation-list-cache.ts'
import { type ConversationEntry, type ConversationPage, entriesOf, type Folder } from './conversation-pages.ts'

export type { ConversationEntry, Folder } from './conversation-pages.ts'

const TYPING_MS = 200
const NONE: readonly never[] = []

export interface ListedConversations {
  /** All pinned conversations; empty during a search, whose results have a single order. */
  readonly pinned: readonly ConversationEntry[]
  readonly others: readonly ConversationEntry[]
  readonly folders: readonly Folder[]
  /** The search that `others` answers; empty when there is none. */
  readonly searched: string
  readonly pending: boolean
  readonly error: unknown
  readonly hasMore: boolean
  loadMore(): void
  reload(): void
}

/** The user's conversations in the server's order, newest first, loaded on scroll and kept up to date by the stream. */
export function useConversationList(query: string, folderId: string | null): ListedConversations {
  const q = useSettled(query.trim())
  useActivity(updateLists)
  const searching = q !== ''
  const pinned = useList({ kind: 'pinned', folderId, q: '' }, !searching)
  const others = useList({ kind: searching ? 'found' : 'others', folderId, q })
  const both = searching ? [others] : [pinned, others]
  return {
    pinned: searching || !pinned.data ? NONE : entriesOf(pinned.data),
    others: others.data ? entriesOf(others.data) : NONE,
    folders: others.data?.pages[0]?.folders ?? [],
    searched: others.data?.pages[0]?.query ?? '',
    pending: both.some((list) => list.isPending),
    error: both.find((list) => list.isError)?.error ?? null,
    hasMore: others.hasNextPage,
    loadMore: () => void (others.isFetchingNextPage || others.fetchNextPage()),
    reload: () => both.forEach((list) => void list.refetch()),
  }
}

/** Deleted conversations, as long as they can be restored. */
export function useBin() {
  useActivity(updateLists)
  return useList({ kind: 'bin', folderId: null, q: '' })
}

function useList(question: ListQuestion, enabled = true) {
  return useInfiniteQuery<
    ConversationPage,
    Error,
    InfiniteData<ConversationPage, string | null>,
    QueryKey,
    string | null
  >({
    queryKey: listKey(question),
    queryFn: ({ pageParam, signal }) => fetchList(question, pageParam, signal),
    initialPageParam: null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    enabled,
    // The stream keeps a shown list up to date. A hidden list is dropped: loading its first page is faster than
    // refreshing all its pages.
    gcTime: 0,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}

/** The value once it has been stable for a moment; an empty value takes effect at once. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), value === '' ? 0 : TYPING_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
