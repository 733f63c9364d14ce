import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { toast } from '../../parts/feedback/toast.tsx'

/** Mail server and webhooks. No event reports changes to them. */
export const channelsQuery = queryOptions({
  queryKey: ['notifications', 'channels'],
  queryFn: ({ signal }) => call('GET /api/admin/channels', { signal }),
  staleTime: 0,
})

export const noticeRulesQuery = queryOptions({
  queryKey: ['notifications', 'rules'],
  queryFn: ({ signal }) => call('GET /api/admin/notification-rules', { signal }),
  staleTime: 0,
})

export const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: async ({ signal }) => (await call('GET /api/admin/roles', { signal })).items,
  select: (roles) => roles.filter(({ everybody }) => !everybody),
  staleTime: 0,
})

interface NotificationChange {
  readonly run: () => Promise<unknown>
  /** Success message; none when the page makes it obvious. */
  readonly done?: string
  readonly after?: () => void
}

/** Makes one change, and reads all of it again. `told`: a failure is shown as a message, as there is no form for it. */
export function useNotificationChange({ told = false } = {}) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ run }: NotificationChange) => run(),
    onSuccess: async (_, { done, after }) => {
      void client.invalidateQueries({ queryKey: ['dashboard'] })
      await client.invalidateQueries({ queryKey: ['notifications'] })
      if (done !== undefined) toast({ text: done, tone: 'ok' })
      after?.()
    },
    onError: (error) => {
      void client.invalidateQueries({ queryKey: ['notifications'] })
      if (told) toast({ text: explainError(error), tone: 'danger' })
    },
  })
}
