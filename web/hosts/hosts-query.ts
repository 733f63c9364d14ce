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

/** The script for a machine, or for any; its key counts from these addresses, or from everywhere. */
export function setupScriptQuery(hostId: string | null, from: string) {
  return queryOptions({
    queryKey: ['hosts', 'setup-script', hostId, from],
    queryFn: ({ signal }) =>
      call('GET /api/admin/hosts/setup-script', {
        query: { ...(hostId === null ? {} : { host_id: hostId }), ...(from === '' ? {} : { from }) },
        signal,
      }),
    staleTime: 0,
    placeholderData: (before) => before,
  })
}

export const sshKeysQuery = queryOptions({
  queryKey: ['hosts', 'ssh-keys'],
  queryFn: ({ signal }) => call('GET /api/admin/ssh-key', { signal }),
})
