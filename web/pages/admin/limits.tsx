import { t } from '../../text/i18n.ts'
import { Page } from '../../parts/layout/page.tsx'
import { RoleQuotas } from '../../admin/limits/role-quotas.tsx'
import { UsageOfAll } from '../../admin/limits/usage-of-all.tsx'

/** Limits by role on the AI engine, and the usage of all users. */
export function LimitsPage() {
  return (
    <Page title={t('admin.limits')}>
      <div className="space-y-8">
        <RoleQuotas />
        <UsageOfAll />
      </div>
    </Page>
  )
}
