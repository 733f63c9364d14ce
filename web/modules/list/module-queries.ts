import { queryOptions } from '@tanstack/react-query'
import { call } from '../../client/api.ts'

/** All modules. A `module.changed` event makes everything under `modules` stale. */
export const modulesQuery = queryOptions({
  queryKey: ['modules', 'catalog'],
  queryFn: async ({ signal }) => (await call('GET /api/modules', { signal })).catalog,
})

/** Removed modules that can be restored. */
export const removedQuery = queryOptions({
  queryKey: ['modules', 'removed'],
  queryFn: async ({ signal }) => (await call('GET /api/modules/removed', { signal })).items,
})

/** Rules for all modules, and what this machine supports. */
export const modulePolicyQuery = queryOptions({
  queryKey: ['modules', 'policy'],
  queryFn: ({ signal }) => call('GET /api/modules/policy', { signal }),
})

/** Roles with their rules. No event reports changes to them. */
export const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: async ({ signal }) => (await call('GET /api/admin/roles', { signal })).items,
  staleTime: 0,
})

/** The roles that users have. */
export const rolesOfUsersQuery = queryOptions({
  ...rolesQuery,
  select: (roles) => roles.filter(({ everybody }) => !everybody),
})

/** One module with all its details. */
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
