import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ModuleEntry, ModuleTool } from '../../../contract/modules.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { announce } from '../../parts/feedback/announcer.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { rolesQuery } from '../list/module-queries.ts'
import { PolicyCell } from './policy-cell.tsx'
import { effectOf, ruleOf, ruleSubject, withRule, type Role, type RuleChoice } from './tool-rules.ts'

interface ToolPolicyProps {
  readonly module: ModuleEntry
  readonly tools: readonly ModuleTool[]
}
interface Change {
  readonly role: Role
  readonly subject: string
  readonly choice: RuleChoice
}

/** Who may use which tool: one rule per role and tool, and one per role for the whole module. */
export function ToolPolicy({ module, tools }: ToolPolicyProps) {
  const query = useQuery(rolesQuery)
  const queryClient = useQueryClient()
  const save = useMutation({
    // One after another: each replaces all rules of its role, starting from the server's current state.
    scope: { id: 'role-rules' },
    mutationFn: async ({ role, subject, choice }: Change) => {
      const { items } = await call('GET /api/admin/roles')
      const rules = items.find(({ role_id }) => role_id === role.role_id)?.rules ?? role.rules
      return call('PATCH /api/admin/roles/{role_id}', {
        params: { role_id: role.role_id },
        body: { rules: withRule(rules, subject, choice) },
      })
    },
    onMutate: ({ role, subject, choice }) => {
      queryClient.setQueryData(rolesQuery.queryKey, (roles) =>
        roles?.map((one) =>
          one.role_id === role.role_id ? { ...one, rules: withRule(one.rules, subject, choice) } : one,
        ),
      )
    },
    onSuccess: () => announce(t('modules.rule_saved')),
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: rolesQuery.queryKey })
      void queryClient.invalidateQueries({ queryKey: ['tools'] })
    },
  })
  return (
    <Section title={t('modules.who_may')}>
      <p className="text-muted mb-3 max-w-prose">{t('modules.who_may_text')}</p>
      {module.builtin && module.reach === 'machine' && (
        <p className="text-muted mb-3 max-w-prose">{t('modules.machine_text')}</p>
      )}
      {save.isError && <ErrorNotice title={t('modules.rule_failed')} error={save.error} className="mb-3" />}
      <QueryView
        query={query}
        failed={t('modules.roles_failed')}
        loading={<SkeletonRows rows={3} className="h-14 rounded-lg" />}
      >
        {(roles) => {
          const change = (role: Role, tool: string | null) => (choice: RuleChoice) =>
            save.mutate({ role, subject: ruleSubject(module.name, tool), choice })
          return (
            <Panel className="max-h-[70dvh] overflow-auto!">
              <table className="w-full border-separate border-spacing-0 text-left">
                <caption className="sr-only">{t('modules.who_may')}</caption>
                <thead>
                  <tr>
                    <th scope="col" className="bg-sunken border-line sticky top-0 z-2 border-b px-4 py-2 font-medium">
                      {t('modules.tool')}
                    </th>
                    {roles.map((role) => (
                      <th
                        key={role.role_id}
                        scope="col"
                        className="bg-sunken border-line sticky top-0 z-1 min-w-36 border-b px-3 py-2 font-medium break-words"
                      >
                        {role.name}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  <tr>
                    <RowHead title={t('modules.all_tools')} name={`${module.name}.*`} />
                    {roles.map((role) => (
                      <PolicyCell
                        key={role.role_id}
                        label={t('modules.rule_label', { tool: t('modules.all_tools'), role: role.name })}
                        choice={ruleOf(role.rules, ruleSubject(module.name, null))}
                        onChange={change(role, null)}
                      />
                    ))}
                  </tr>
                  {tools.map((tool) => (
                    <tr key={tool.name}>
                      <RowHead title={tool.title} name={tool.name} />
                      {roles.map((role) => (
                        <PolicyCell
                          key={role.role_id}
                          label={t('modules.rule_label', { tool: tool.title, role: role.name })}
                          choice={ruleOf(role.rules, ruleSubject(module.name, tool.name))}
                          result={effectOf(role, module, tool)}
                          onChange={change(role, tool.name)}
                        />
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </Panel>
          )
        }}
      </QueryView>
    </Section>
  )
}

function RowHead({ title, name }: { readonly title: string; readonly name: string }) {
  return (
    <th scope="row" className="bg-surface border-line max-w-80 min-w-40 border-b px-4 py-2 align-top font-normal">
      <span className="block font-medium break-words">{title}</span>
      <span className="text-muted block font-mono text-xs break-all">{name}</span>
    </th>
  )
}
