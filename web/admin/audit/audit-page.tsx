import { getRouteApi } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { t } from '../../i18n.ts'
import { Page } from '../../parts/page.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { AuditList } from './audit-list.tsx'
import { type AuditSearch, exportAddress } from './audit-query.ts'
import { VerifyAudit } from './verify-audit.tsx'

const route = getRouteApi('/app/admin/$page')

/** Who did what, when: find entries, check that none was changed, and take them along. */
export function AuditPage() {
  const search: AuditSearch = route.useSearch()
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
        <AuditFilters search={search} onChange={onSearch} />
        <AuditList search={search} onSearch={onSearch} />
      </div>
    </Page>
  )
}
