import { useMutation, useQuery } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { call } from '../../client/api.ts'
import { formatDate, formatDateTime, formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { aboutAuditQuery } from './audit-query.ts'
import { SignedHead } from './signed-head.tsx'

/** Says what the log is and how long it is kept; verifies the hash chain and explains the result in a sentence. */
export function VerifyAudit() {
  const about = useQuery(aboutAuditQuery).data
  const verify = useMutation({ mutationFn: () => call('GET /api/admin/audit/verify') })
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p className="text-muted max-w-prose min-w-0 flex-1 basis-80">
          {t('audit.intro')}
          {about && (
            <>
              {' '}
              {about.keep_days === null ? t('audit.kept_forever') : t('audit.kept_days', { count: about.keep_days })}
              {about.since !== null && <> {t('audit.since', { date: formatDate(about.since) })}</>}
            </>
          )}
        </p>
        <Button icon={ShieldCheck} busy={verify.isPending} onClick={() => verify.mutate()}>
          {t('audit.verify')}
        </Button>
      </div>
      <SignedHead />
      <div role="status">
        {verify.isError && <ErrorNotice title={t('audit.verify_failed')} error={verify.error} />}
        {verify.data?.ok === true && (
          <Notice tone="ok">
            {t('audit.verified', { count: formatNumber(verify.data.entries) })}
            {verify.data.unchained > 0 && <> {t('audit.unchained_note', { count: verify.data.unchained })}</>}
          </Notice>
        )}
        {verify.data && isAltered(verify.data) && (
          <Notice tone="danger" title={t('audit.broken_title')}>
            {verify.data.missing_from === undefined
              ? t('audit.broken_text', { id: String(verify.data.first_broken_id) })
              : t('audit.missing_text', { id: String(verify.data.missing_from) })}
          </Notice>
        )}
        {verify.data?.unchained_since !== undefined && (
          <Notice tone="danger" title={t('audit.unchained_title')}>
            {t('audit.unchained_text', {
              count: verify.data.unchained,
              date: formatDateTime(verify.data.unchained_since),
            })}
          </Notice>
        )}
      </div>
    </div>
  )
}

function isAltered({
  first_broken_id,
  missing_from,
}: {
  first_broken_id: number | null
  missing_from?: number
}): boolean {
  return first_broken_id !== null || missing_from !== undefined
}
