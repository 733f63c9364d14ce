import { useQuery } from '@tanstack/react-query'
import { call, pathOf } from '../../client/api.ts'
import { formatDateTime, formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Notice } from '../../parts/feedback/notice.tsx'

/** Up to which entry the log was signed, the file that proves it later, and what could not be sent. */
export function SignedHead() {
  const answer = useQuery({
    queryKey: ['audit-head'],
    queryFn: ({ signal }) => call('GET /api/admin/audit/head', { signal }),
  }).data
  if (answer === undefined) return null
  const { head } = answer
  if (head === null) return <p className="text-muted text-sm">{t('audit.head_none')}</p>
  const unsent = head.sent.filter(({ problem }) => problem !== null)
  return (
    <>
      <p className="text-muted text-sm">
        {t('audit.head', { id: formatNumber(head.audit_id), date: formatDateTime(head.signed_at) })}{' '}
        <a
          href={pathOf('/api/admin/audit/heads')}
          download
          className="text-accent font-medium underline-offset-2 hover:underline"
        >
          {t('audit.heads_download')}
        </a>
      </p>
      {unsent.map(({ place, problem }) => (
        <Notice key={place} tone="warn">
          {t('audit.head_unsent', { place: t(`audit.place_${place}`), problem: problem ?? '' })}
        </Notice>
      ))}
    </>
  )
}
