import { useMutation } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { call } from '../../client/api.ts'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'

/** Verifies the hash chain from the first entry on and explains the result in a sentence. */
export function VerifyAudit() {
  const verify = useMutation({ mutationFn: () => call('GET /api/admin/audit/verify') })
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p className="text-muted max-w-prose min-w-0 flex-1 basis-80">{t('audit.intro')}</p>
        <Button icon={ShieldCheck} busy={verify.isPending} onClick={() => verify.mutate()}>
          {t('audit.verify')}
        </Button>
      </div>
      <div role="status">
        {verify.isError && <ErrorNotice title={t('audit.verify_failed')} error={verify.error} />}
        {verify.data?.ok === true && (
          <Notice tone="ok">{t('audit.verified', { count: formatNumber(verify.data.entries) })}</Notice>
        )}
        {verify.data?.ok === false && (
          <Notice tone="danger" title={t('audit.broken_title')}>
            {t('audit.broken_text', { id: String(verify.data.first_broken_id) })}
          </Notice>
        )}
      </div>
    </div>
  )
}
