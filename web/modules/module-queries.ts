import { queryOptions } from '@tanstack/react-query'
import { call } from '../api.ts'

/** All modules. Everything under `modules` becomes stale with a `module.changed` event. */
export const modulesQuery = queryOptions({
  queryKey: ['modules', 'catalog'],
  queryFn: async ({ signal }) => (await call('GET /api/modules', { signal })).catalog,
})

/** What has been removed and can come back. */
export const removedQuery = queryOptions({
  queryKey: ['modules', 'removed'],
  queryFn: async ({ signal }) => (await call('GET /api/modules/removed', { signal })).items,
})

/** What holds for all of them, and what this machine can do. */
export const modulePolicyQuery = queryOptions({
  queryKey: ['modules', 'policy'],
  queryFn: ({ signal }) => call('GET /api/modules/policy', { signal }),
})

/** Roles with their rules. No event tells of their changes. */
export const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: async ({ signal }) => (await call('GET /api/admin/roles', { signal })).items,
  staleTime: 0,
})

/** One module with all of its parts. */
export function moduleQuery(name: string) {
  return queryOptions({
    queryKey: ['modules', 'one', name],
    queryFn: async ({ signal }) =>
      (await call('GET /api/modules/{module_name}', { params: { module_name: name }, signal })).module,
  })
}

export function moduleSettingsQuery(name: string) {
  return queryOptions({
    queryKey: ['modules', 'settings', name],
    queryFn: async ({ signal }) =>
      (await call('GET /api/modules/{module_name}/settings', { params: { module_name: name }, signal })).settings,
  })
}
