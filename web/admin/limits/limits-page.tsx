import { t } from '../../i18n.ts'
import { Page } from '../../parts/page.tsx'
import { RoleQuotas } from './role-quotas.tsx'
import { UsageOfAll } from './usage-of-all.tsx'

/** What each role may use of the AI engine, and what everybody used. */
export function LimitsPage() {
  return (
    <Page title={t('limits.title')}>
      <div className="space-y-8">
        <RoleQuotas />
        <UsageOfAll />
      </div>
    </Page>
  )
}
