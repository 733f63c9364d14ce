import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../api.ts'

const TYPING_MS = 120
const MOST = 8

/**
 * Conversations as the server finds them, the newest when nothing is asked. A request that is no longer wanted is aborted.
 * `current`: they answer this query, and not the one before it.
 */
export function useConversationSearch(query: string) {
  const asked = query.trim()
  const [q, setQ] = useState(asked)
  useEffect(() => {
    const timer = setTimeout(() => setQ(asked), asked === '' ? 0 : TYPING_MS)
    return () => clearTimeout(timer)
  }, [asked])
  const found = useQuery({
    queryKey: ['conversations', 'palette', q],
    queryFn: ({ signal }) => call('GET /api/chat/conversations', { query: { q, limit: MOST }, signal }),
    placeholderData: keepPreviousData,
  })
  return {
    items: found.data?.items ?? [],
    current: q === asked && !found.isPlaceholderData,
    error: found.error,
  }
}
