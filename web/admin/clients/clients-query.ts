import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../client/api.ts'

/** MCP clients that may ask people for access. No event reports changes to them. */
export const clientsQuery = queryOptions({
  queryKey: ['oauth-clients'],
  queryFn: ({ signal }) => call('GET /api/oauth/clients', { signal }),
  staleTime: 0,
})

/** Makes one change, and reads all of it again. */
export function useClientsChange(after?: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (run: () => Promise<unknown>) => run(),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: clientsQuery.queryKey })
      after?.()
    },
  })
}
