import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { sessionQuery } from '../../client/queries.ts'
import { t } from '../../text/i18n.ts'
import { Page } from '../../parts/layout/page.tsx'
import { AuditList } from '../../admin/audit/audit-list.tsx'
import { type AuditSearch, exportAddress } from '../../admin/audit/audit-query.ts'
import { KeptReads } from '../../admin/audit/kept-reads.tsx'
import { VerifyAudit } from '../../admin/audit/verify-audit.tsx'

const route = getRouteApi('/app/admin/$page')

/** The audit log: search, verify and export entries. */
export function AuditPage() {
  const search: AuditSearch = route.useSearch()
  const session = useQuery(sessionQuery)
  const navigate = route.useNavigate()
  const onSearch = (next: AuditSearch): void =>
    void navigate({
      replace: true,
      search: Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined && value !== '')),
    })
  return (
    <Page
      title={t('admin.audit')}
      actions={
        <a
          href={exportAddress(search)}
          download
          aria-label={t('audit.export')}
          title={t('audit.export_hint')}
          className="border-line-strong/60 bg-surface text-ink hover:bg-hover inline-flex h-9 shrink-0 items-center gap-2 rounded-md border px-3.5 font-medium shadow-sm"
        >
          <Download aria-hidden className="size-4" />
          <span className="max-sm:hidden">{t('audit.export')}</span>
        </a>
      }
    >
      <div className="space-y-4">
        <VerifyAudit />
        {session.data?.user.admin === true && <KeptReads />}
        <AuditList search={search} onSearch={onSearch} />
      </div>
    </Page>
  )
}
