import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../client/api.ts'

const TYPING_MS = 120
const MOST = 8

/**
 * Conversations found by the server; the newest ones for an empty query. Outdated requests are aborted. `current`: the
 * results belong to this query, not the previous one.
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
