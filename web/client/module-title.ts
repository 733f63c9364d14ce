import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from './api.ts'

/** Which modules have something to read. Keyed under `modules`, so that a change to a module makes it stale. */
export const resourceModulesQuery = queryOptions({
  queryKey: ['modules', 'resource-modules'],
  queryFn: ({ signal }) => call('GET /api/chat/resource-modules', { signal }),
  staleTime: 60_000,
})

/** What people know a module by that has something to read; its name where it has gone. */
export function useModuleTitle(name: string): string {
  const { data } = useQuery(resourceModulesQuery)
  return data?.items.find(({ module }) => module === name)?.title ?? name
}
