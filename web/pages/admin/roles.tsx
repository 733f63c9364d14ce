import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CircleHelp, Plus } from 'lucide-react'
import { useState } from 'react'
import { ExplainDialog } from '../../admin/roles/explain-dialog.tsx'
import type { ExplainSubject } from '../../admin/roles/explain-form.tsx'
import { type RoleDialog, RoleDialogs } from '../../admin/roles/role-dialogs.tsx'
import { RoleRules } from '../../admin/roles/role-rules.tsx'
import { rolesQuery } from '../../modules/list/module-queries.ts'
import { Button } from '../../parts/controls/button.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { forgetHandedCall, handedArguments } from '../../rules/of-call/handed-call.ts'
import { t } from '../../text/i18n.ts'

const route = getRouteApi('/app/admin/$page')

/** What each role may do, in one grid that fills the page. An address may ask to explain the access of a user. */
export function RolesPage() {
  const query = useQuery(rolesQuery)
  const { user, tool } = route.useSearch()
  const navigate = route.useNavigate()
  const [dialog, setDialog] = useState<RoleDialog | null>(null)
  const [asked, setAsked] = useState<ExplainSubject | null>(null)
  const subject = asked ?? (user === undefined ? null : { username: user })
  const stopExplaining = (): void => {
    setAsked(null)
    if (user !== undefined) void navigate({ search: {}, replace: true })
  }
  return (
    <Page
      title={t('admin.roles')}
      fill
      actions={
        <>
          <Button icon={CircleHelp} aria-label={t('explain.title')} onClick={() => setAsked({})}>
            <span className="max-sm:hidden">{t('explain.title')}</span>
          </Button>
          <Button
            variant="primary"
            icon={Plus}
            aria-label={t('roles.create')}
            onClick={() => setDialog({ kind: 'create', from: null })}
          >
            <span className="max-sm:hidden">{t('roles.create')}</span>
          </Button>
        </>
      }
    >
      {/* Scrolls by itself only where a very low window leaves the grid no room. */}
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-4 py-4 sm:px-6">
        <QueryView
          query={query}
          failed={t('modules.roles_failed')}
          loading={<SkeletonRows rows={8} className="h-9 rounded-lg" />}
        >
          {(roles) => (
            <RoleRules
              saved={roles}
              onDialog={setDialog}
              onExplain={setAsked}
              making={tool === undefined ? null : { tool, args: handedArguments(tool) }}
              onMade={() => {
                forgetHandedCall()
                if (tool !== undefined) void navigate({ search: {}, replace: true })
              }}
            />
          )}
        </QueryView>
      </div>
      {dialog !== null && <RoleDialogs dialog={dialog} onClose={() => setDialog(null)} />}
      {subject !== null && <ExplainDialog subject={subject} onClose={stopExplaining} />}
    </Page>
  )
}
