import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import type { Output } from '../../client/api-types.ts'
import { toast } from '../../parts/feedback/toast.tsx'

type OwnChannels = Output<'GET /api/channels'>
export type OwnChannel = OwnChannels['items'][number]
export type NoticeSettings = OwnChannels['settings']

export const ownChannelsQuery = queryOptions({
  queryKey: ['own-channels'],
  queryFn: ({ signal }) => call('GET /api/channels', { signal }),
  staleTime: 0,
})

interface OwnChange {
  readonly run: () => Promise<unknown>
  readonly done?: string
  readonly after?: () => void
}

/** Makes one change to the user's addresses or settings, and reads them again. */
export function useOwnChange() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ run }: OwnChange) => run(),
    onSuccess: async (_, { done, after }) => {
      await client.invalidateQueries(ownChannelsQuery)
      if (done !== undefined) toast({ text: done, tone: 'ok' })
      after?.()
    },
    onError: () => void client.invalidateQueries(ownChannelsQuery),
  })
}
