import { useQuery } from '@tanstack/react-query'
import { hostsQuery } from '../../hosts/hosts-query.ts'
import { modulesQuery } from '../../modules/list/module-queries.ts'
import { proceduresQuery } from '../../procedures/procedures-query.ts'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { useModuleGroups } from '../../rules/module-group.ts'
import { RuleEditor, type RuleEditorProps } from '../../rules/rule-editor.tsx'
import type { Role } from '../../rules/tool-rules.ts'
import { t } from '../../text/i18n.ts'
import type { ExplainSubject } from './explain-form.tsx'
import { permissionGroup } from './permission-group.ts'
import { machineGroup } from './machine-group.ts'
import { procedureGroup } from './procedure-group.ts'
import type { RoleDialog } from './role-dialogs.tsx'
import { useRoleMenu } from './use-role-menu.ts'

interface RoleRulesProps extends Pick<RuleEditorProps, 'making' | 'onMade'> {
  readonly saved: readonly Role[]
  onDialog(dialog: RoleDialog): void
  onExplain(subject: ExplainSubject): void
}

/** The rules of all roles: permissions, machines and procedures, then the tools of every module. */
export function RoleRules({ saved, onDialog, onExplain, ...form }: RoleRulesProps) {
  const modules = useQuery(modulesQuery)
  const groups = useModuleGroups(modules.data ?? [])
  const hosts = useQuery(hostsQuery)
  const machines = machineGroup(hosts.data?.items ?? [], saved)
  const procedures = procedureGroup(useQuery(proceduresQuery).data?.items ?? [], saved)
  const headMenu = useRoleMenu(onDialog)
  return (
    <>
      {modules.isError && (
        <ErrorNotice
          title={t('modules.load_failed')}
          error={modules.error}
          onRetry={() => void modules.refetch()}
          className="mb-3"
        />
      )}
      <RuleEditor
        label={t('roles.table')}
        saved={saved}
        groups={[permissionGroup(), ...[machines, procedures].filter((group) => group !== null), ...groups]}
        as="page"
        {...form}
        headMenu={headMenu}
        onExplain={({ role_id }, tool) => onExplain({ role: role_id, tool })}
      />
    </>
  )
}
