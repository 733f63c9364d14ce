import { useQuery } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { Progress } from '../../parts/feedback/progress.tsx'

const LOOK_MS = 700

/** Progress of the current import. */
export function ImportProgress() {
  const { data } = useQuery({
    queryKey: ['import'],
    queryFn: () => call('GET /api/chat/conversations/import'),
    refetchInterval: LOOK_MS,
    gcTime: 0,
  })
  const percent = data?.import?.percent
  return (
    <div className="space-y-1 px-4 pb-2 text-xs text-muted">
      <p aria-hidden>{t('chat.importing')}</p>
      <Progress label={t('chat.importing')} {...(percent !== undefined && { value: percent / 100 })} />
    </div>
  )
}
