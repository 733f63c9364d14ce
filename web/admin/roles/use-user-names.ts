import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../client/api.ts'
import type { User } from '../users/users-query.ts'

/** Milliseconds between the last key and the search. */
const TYPING = 150
const MOST = 20

/** Users whose names match the typed text. */
export function useUserNames(typed: string): readonly User[] {
  const [q, setQ] = useState(typed.trim())
  useEffect(() => {
    const timer = setTimeout(() => setQ(typed.trim()), TYPING)
    return () => clearTimeout(timer)
  }, [typed])
  const query = useQuery({
    queryKey: ['users', 'names', q],
    queryFn: ({ signal }) => call('GET /api/admin/users', { query: { q, limit: MOST }, signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
  return q === '' ? [] : (query.data?.items ?? [])
}
