import { queryOptions } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import type { Output } from '../../client/api-types.ts'
import { queryClient } from '../../client/query-client.ts'
import { type Host, hostsQuery } from '../hosts-query.ts'

export type Look = Output<'POST /api/hosts/{host_id}/look'>
export type LookTable = Look['tables'][number]
export type LookRow = LookTable['rows'][number]
/** Arguments of a tool, as JSON. */
export type ToolArguments = Readonly<Record<string, unknown>>

/** What a reading tool says of a machine now. It is asked again when the section is opened again, and after operations. */
export function lookQuery({ host_id }: Pick<Host, 'host_id'>, tool: string, args: ToolArguments = {}) {
  return queryOptions({
    queryKey: ['look', host_id, tool, args],
    queryFn: ({ signal }) =>
      call('POST /api/hosts/{host_id}/look', { params: { host_id }, body: { tool, arguments: { ...args } }, signal }),
    staleTime: 0,
    // Whatever it says, asking at once again would hear the same.
    retry: false,
    refetchOnWindowFocus: false,
  })
}

/** The tools of a machine, and what the rules say of each there. */
export function hostToolsQuery({ host_id }: Pick<Host, 'host_id'>) {
  return queryOptions({
    queryKey: ['look', host_id, 'tools'],
    queryFn: ({ signal }) => call('GET /api/hosts/{host_id}/tools', { params: { host_id }, signal }),
    staleTime: 60_000,
  })
}

/**
 * What is typed in a conversation for the same call: `/system.services {"host":"web-1"}`. Where there is only one machine,
 * tools have no such argument.
 */
export function callLine({ name }: Pick<Host, 'name'>, tool: string, args: ToolArguments): string {
  const several = (queryClient.getQueryData(hostsQuery.queryKey)?.items.length ?? 0) > 1
  return `/system.${tool} ${JSON.stringify({ ...args, ...(several && { host: name }) })}`
}
