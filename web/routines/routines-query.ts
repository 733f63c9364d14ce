import { queryOptions, useMutation } from '@tanstack/react-query'
import { call } from '../client/api.ts'
import type { Output } from '../client/api-types.ts'
import { explainError } from '../client/explain-error.ts'
import { queryClient } from '../client/query-client.ts'
import { toast } from '../parts/feedback/toast.tsx'

export type Routine = Output<'GET /api/routines'>['items'][number]
export type Fire = Output<'GET /api/routines/{routine_id}/fires'>['items'][number]
export type Hook = Output<'GET /api/routines/{routine_id}/webhooks'>['items'][number]

/** Events say when something of it has changed (refresh-on-activity). */
export const routinesQuery = queryOptions({
  queryKey: ['routines'],
  queryFn: async ({ signal }) => (await call('GET /api/routines', { signal })).items,
})

export function routineQuery(routine_id: string) {
  return queryOptions({
    queryKey: ['routines', routine_id],
    queryFn: async ({ signal }) =>
      (await call('GET /api/routines/{routine_id}', { params: { routine_id }, signal })).routine,
  })
}

export const weekQuery = queryOptions({
  queryKey: ['routines', 'week'],
  queryFn: async ({ signal }) => (await call('GET /api/routines/week', { signal })).items,
})

export function hooksQuery(routine_id: string) {
  return queryOptions({
    queryKey: ['routines', routine_id, 'hooks'],
    queryFn: async ({ signal }) =>
      (await call('GET /api/routines/{routine_id}/webhooks', { params: { routine_id }, signal })).items,
  })
}

export interface RoutineChange {
  readonly run: () => Promise<unknown>
  /** Success message; none when the page makes it obvious. */
  readonly done?: string
  readonly after?: () => void
}

/** Makes one change and reads all of it again. `told`: a failure is shown as a message, as there is no form for it. */
export function useRoutineChange({ told = false } = {}) {
  return useMutation({
    mutationFn: ({ run }: RoutineChange) => run(),
    onSuccess: async (_, { done, after }) => {
      await queryClient.invalidateQueries({ queryKey: ['routines'] })
      if (done !== undefined) toast({ text: done, tone: 'ok' })
      after?.()
    },
    onError: (error) => {
      void queryClient.invalidateQueries({ queryKey: ['routines'] })
      if (told) toast({ text: explainError(error), tone: 'danger' })
    },
  })
}
