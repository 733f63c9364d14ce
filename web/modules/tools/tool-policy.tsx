import { useQuery } from '@tanstack/react-query'
import type { ModuleEntry, ModuleTool } from '../../../contract/modules.ts'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { moduleGroup } from '../../rules/module-group.ts'
import { RuleEditor } from '../../rules/rule-editor.tsx'
import { t } from '../../text/i18n.ts'
import { rolesQuery } from '../list/module-queries.ts'

interface ToolPolicyProps {
  readonly module: ModuleEntry
  readonly tools: readonly ModuleTool[]
}

/** Who may use which tool: one rule per role and tool, and one per role for the whole module. */
export function ToolPolicy({ module, tools }: ToolPolicyProps) {
  const query = useQuery(rolesQuery)
  return (
    <Section title={t('modules.who_may')}>
      {module.builtin && module.reach === 'machine' && (
        <p className="text-muted mb-3 max-w-prose">{t('modules.machine_text')}</p>
      )}
      <QueryView
        query={query}
        failed={t('modules.roles_failed')}
        loading={<SkeletonRows rows={3} className="h-9 rounded-lg" />}
      >
        {(roles) => (
          <RuleEditor label={t('modules.who_may')} saved={roles} groups={[moduleGroup(module, tools)]} as="part" />
        )}
      </QueryView>
    </Section>
  )
}
