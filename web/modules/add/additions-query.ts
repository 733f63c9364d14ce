import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import type { ModuleAddition, ModuleUpdate } from '../../../contract/module-additions.ts'
import { call } from '../../client/api.ts'

const POLL_MS = 1000

/** Modules that are being added, asked for again while there are any. */
export const additionsQuery = queryOptions({
  queryKey: ['modules', 'additions'],
  queryFn: ({ signal }) => call('GET /api/module-additions', { signal }),
  refetchInterval: (query) => (query.state.data?.items.some(({ state }) => state === 'running') ? POLL_MS : false),
})

/** Ids of those that were begun here, and of which nobody was told yet how they ended. */
export const begunQuery = queryOptions({
  queryKey: ['module-additions-begun'],
  queryFn: (): readonly string[] => [],
  initialData: [],
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
})

/** One that was begun is shown at once, so that whoever looks has seen it run even if it is done when asked for. */
export function keepBegun(queryClient: QueryClient, addition: ModuleAddition): void {
  queryClient.setQueryData(begunQuery.queryKey, (before = []) => [...before, addition.addition_id])
  queryClient.setQueryData(
    additionsQuery.queryKey,
    (before) => before && { ...before, items: [addition, ...before.items] },
  )
  void queryClient.invalidateQueries({ queryKey: additionsQuery.queryKey })
}

/** Newer versions, once somebody has asked for them; kept until the page is left for good. */
export const updatesQuery = queryOptions({
  queryKey: ['module-updates'],
  queryFn: async ({ signal }) => (await call('POST /api/modules/updates', { signal })).items,
  enabled: false,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 30 * 60_000,
})

/** The modules of which newer versions were found when somebody asked last. */
export function useUpdates(): readonly ModuleUpdate[] {
  return useQuery(updatesQuery).data?.filter(({ newer }) => newer !== null) ?? []
}
