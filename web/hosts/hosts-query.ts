import { queryOptions } from '@tanstack/react-query'
import { call } from '../client/api.ts'
import type { Output } from '../client/api-types.ts'

export type Host = Output<'GET /api/hosts'>['items'][number]
export type SshKey = Output<'GET /api/admin/ssh-key'>['items'][number]

/** All machines. An event makes everything under `hosts` stale. */
export const hostsQuery = queryOptions({
  queryKey: ['hosts'],
  queryFn: ({ signal }) => call('GET /api/hosts', { signal }),
})

export const setupScriptQuery = queryOptions({
  queryKey: ['hosts', 'setup-script'],
  queryFn: ({ signal }) => call('GET /api/admin/hosts/setup-script', { signal }),
  staleTime: 0,
})

export const sshKeysQuery = queryOptions({
  queryKey: ['hosts', 'ssh-keys'],
  queryFn: ({ signal }) => call('GET /api/admin/ssh-key', { signal }),
})
