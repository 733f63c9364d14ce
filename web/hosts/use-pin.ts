import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../client/api.ts'
import { toast } from '../parts/feedback/toast.tsx'
import { t } from '../text/i18n.ts'
import type { Host } from './hosts-query.ts'

type GivenKey = { readonly host_key: string } | { readonly fingerprint: string }

/** Pins a host key, and then signs in for the first time: what comes of that is the machine's state. */
export function usePin({ host_id, name }: Host) {
  const queryClient = useQueryClient()
  const params = { host_id }
  return useMutation({
    mutationFn: async (key: GivenKey) => {
      await call('POST /api/admin/hosts/{host_id}/pin', { params, body: key })
      return call('POST /api/admin/hosts/{host_id}/check', { params })
    },
    onSuccess: ({ host }) => {
      if (host.state === 'ok') toast({ text: t('hosts.ready', { name }), tone: 'ok' })
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['hosts'] }),
  })
}
