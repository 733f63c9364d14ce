import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../text/i18n.ts'
import { rolesQuery } from '../../modules/list/module-queries.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { ExplainSection } from '../../admin/roles/explain-section.tsx'
import { type RoleDialog, RoleDialogs } from '../../admin/roles/role-dialogs.tsx'
import { RoleEditor } from '../../admin/roles/role-editor.tsx'

/** What each role may do, in one table, with a simulation of changes and an explanation of access. */
export function RolesPage() {
  const query = useQuery(rolesQuery)
  const [dialog, setDialog] = useState<RoleDialog | null>(null)
  return (
    <Page
      title={t('admin.roles')}
      actions={
        <Button
          variant="primary"
          icon={Plus}
          aria-label={t('roles.create')}
          onClick={() => setDialog({ kind: 'create', from: null })}
        >
          <span className="max-sm:hidden">{t('roles.create')}</span>
        </Button>
      }
    >
      <div className="space-y-8">
        <QueryView
          query={query}
          failed={t('modules.roles_failed')}
          loading={<SkeletonRows rows={6} className="h-14 rounded-lg" />}
        >
          {(roles) => <RoleEditor saved={roles} onDialog={setDialog} />}
        </QueryView>
        <ExplainSection />
      </div>
      {dialog !== null && <RoleDialogs dialog={dialog} onClose={() => setDialog(null)} />}
    </Page>
  )
}
