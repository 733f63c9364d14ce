import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../api.ts'
import type { Output } from '../api-types.ts'

export type ConversationEntry = Output<'GET /api/chat/conversations'>['items'][number]
export type Folder = Output<'GET /api/chat/conversations'>['folders'][number]

const TYPING_MS = 200

/** My conversations as the server finds them, newest first, page by page. Events make the answer stale (refresh-on-activity). */
export function useConversationList(query: string, folderId: string | null) {
  const q = useSettled(query.trim())
  return useInfiniteQuery({
    queryKey: ['conversations', 'list', q, folderId],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/chat/conversations', {
        query: {
          q,
          limit: 50,
          ...(folderId !== null && { folder_id: folderId }),
          ...(pageParam !== null && { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  })
}

/** The value once it has not changed for a moment; cleared at once. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), value === '' ? 0 : TYPING_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
