import { useMutation } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { call } from '../../api.ts'
import { formatNumber } from '../../format.ts'
import { t } from '../../i18n.ts'
import { Button } from '../../parts/button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Notice } from '../../parts/notice.tsx'

/** Checks the chain of hashes from the first entry on, and says in a sentence what that means. */
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
