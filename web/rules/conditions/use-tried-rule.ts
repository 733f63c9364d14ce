import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Output } from '../../client/api-types.ts'
import { call } from '../../client/api.ts'
import type { Rule } from '../same-rule.ts'

/** Milliseconds between the last change and the question. */
const TYPING = 250

export type Tried = Output<'POST /api/admin/policy/try'>

/** What a rule would do, by the server. */
export function triedQuery(role_id: string, rule: string) {
  return queryOptions({
    queryKey: ['roles', 'tried', role_id, rule],
    queryFn: ({ signal }) =>
      call('POST /api/admin/policy/try', { body: { role_id, rule: JSON.parse(rule) as Rule }, signal }),
    retry: false,
    staleTime: 0,
  })
}

/** The same while the rule is edited: asked once typing pauses. */
export function useTriedRule(role_id: string, rule: Rule | null) {
  const text = rule === null ? '' : JSON.stringify(rule)
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING)
    return () => clearTimeout(timer)
  }, [text])
  const query = useQuery({
    ...triedQuery(role_id, settled),
    enabled: settled !== '' && role_id !== '',
    placeholderData: keepPreviousData,
  })
  return { query, tried: text === '' ? undefined : query.data, current: settled === text && !query.isPlaceholderData }
}
