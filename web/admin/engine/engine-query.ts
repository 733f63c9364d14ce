import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Output } from '../../client/api-types.ts'
import { call } from '../../client/api.ts'

export type EngineEntry = Output<'GET /api/admin/ai/engines'>['items'][number]

/** All engines, the default first. No event reports changes to them. */
export const enginesQuery = queryOptions({
  queryKey: ['engines'],
  queryFn: ({ signal }) => call('GET /api/admin/ai/engines', { signal }),
  staleTime: 0,
})

export const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: async ({ signal }) => (await call('GET /api/admin/roles', { signal })).items,
  select: (roles) => roles.filter(({ everybody }) => !everybody),
  staleTime: 0,
})

/** After a change: what shows engines, or which one answers. */
export async function engineChanged(client: QueryClient): Promise<void> {
  for (const key of ['tools', 'dashboard', 'choices', 'quotas']) void client.invalidateQueries({ queryKey: [key] })
  await client.invalidateQueries(enginesQuery)
}
