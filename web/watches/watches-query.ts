import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../client/api.ts'
import type { Output } from '../client/api-types.ts'
import { explainError } from '../client/explain-error.ts'
import { toast } from '../parts/feedback/toast.tsx'

export type Watch = Output<'GET /api/watches'>['items'][number]
export type WatchOptions = Output<'GET /api/watches/options'>
export type Tried = Output<'POST /api/watches/try'>

/** All that I may see. An event makes everything under `watches` stale. */
export const watchesQuery = queryOptions({
  queryKey: ['watches'],
  queryFn: ({ signal }) => call('GET /api/watches', { signal }),
  // What is looked at without anything to tell of shows in the time of the last look.
  refetchInterval: 60_000,
})

/** Whom a watch may tell and what it may start. Nobody reports changes to that. */
export const watchOptionsQuery = queryOptions({
  queryKey: ['watch-options'],
  queryFn: ({ signal }) => call('GET /api/watches/options', { signal }),
  staleTime: 0,
})

interface WatchChange {
  readonly run: () => Promise<unknown>
  readonly done?: string
  readonly after?: () => void
}

/** Makes one change and reads the list again. `told`: a failure is shown as a message, as there is no form for it. */
export function useWatchChange({ told = false } = {}) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ run }: WatchChange) => run(),
    onSuccess: async (_, { done, after }) => {
      void client.invalidateQueries({ queryKey: ['dashboard'] })
      await client.invalidateQueries({ queryKey: ['watches'] })
      if (done !== undefined) toast({ text: done, tone: 'ok' })
      after?.()
    },
    onError: (error) => {
      void client.invalidateQueries({ queryKey: ['watches'] })
      if (told) toast({ text: explainError(error), tone: 'danger' })
    },
  })
}
