import type { ModuleDetail, ModuleTool } from '../../../contract/modules.ts'
import { useQuery } from '@tanstack/react-query'
import { Wrench } from 'lucide-react'
import { switchesQuery } from '../../admin/runs/runs-query.ts'
import { call } from '../../client/api.ts'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { ModulePrompts } from './module-prompts.tsx'
import { ModuleToolRow } from './module-tool-row.tsx'
import { ModuleWords } from './module-words.tsx'
import { ToolPolicy } from './tool-policy.tsx'
import type { useModuleChange } from '../list/use-module-change.ts'

interface ModuleToolsProps {
  readonly module: ModuleDetail
  readonly change: ReturnType<typeof useModuleChange>
}

/** The tools of a module: their definitions, whether they have been agreed to, and who may use them. */
export function ModuleTools({ module, change }: ModuleToolsProps) {
  const { tools } = module
  const off = new Set(useQuery(switchesQuery).data?.map(({ subject }) => subject))
  const waiting = tools.filter(({ pin }) => pin === 'changed' || pin === 'new')
  const agree = (agreed: readonly ModuleTool[], id: string): void =>
    change.mutate({
      id,
      failed: t('modules.agree_failed'),
      done: t('modules.agreed', { count: agreed.length }),
      run: () =>
        call('POST /api/modules/{module_name}/tools/agree', {
          params: { module_name: module.name },
          body: { tools: agreed.map(({ name: tool, definition_hash }) => ({ name: tool, definition_hash })) },
        }),
    })
  const busy = change.isPending ? change.variables.id : null
  if (tools.length === 0 && module.prompts.length === 0) {
    return (
      <Panel>
        <EmptyState
          icon={Wrench}
          title={t('modules.no_tools')}
          text={t(module.enabled ? 'modules.no_tools_enabled' : 'modules.no_tools_disabled')}
        />
      </Panel>
    )
  }
  return (
    <div className="space-y-8">
      <Section title={t('modules.tools')}>
        <div className="space-y-3">
          {waiting.length > 0 && (
            <Notice
              tone="warn"
              title={t('modules.changed_title', { count: waiting.length })}
              actions={
                <Button
                  size="sm"
                  busy={busy === 'agree all'}
                  disabled={busy !== null}
                  onClick={() => agree(waiting, 'agree all')}
                >
                  {t('modules.agree_all', { count: waiting.length })}
                </Button>
              }
            >
              {t('modules.changed_text')}
            </Notice>
          )}
          {module.kind !== 'builtin' && <p className="text-muted text-sm">{t('modules.effects_claimed')}</p>}
          {tools.length > 0 && (
            <p className="text-muted text-sm">
              {t('modules.tools_tokens', {
                tokens: formatNumber(tools.reduce((sum, { tokens }) => sum + tokens, 0)),
              })}
            </p>
          )}
          <Panel>
            <ul className="divide-line divide-y">
              {tools.map((tool) => (
                <li key={tool.name}>
                  <ModuleToolRow
                    tool={tool}
                    off={off.has(`tool:${module.name}.${tool.name}`) || off.has(`tool:${module.name}.*`)}
                    busy={busy === `agree ${tool.name}`}
                    disabled={busy !== null}
                    onAgree={() => agree([tool], `agree ${tool.name}`)}
                  />
                </li>
              ))}
            </ul>
          </Panel>
        </div>
      </Section>
      <ModuleWords module={module} change={change} />
      <ToolPolicy module={module} tools={tools} />
      <ModulePrompts prompts={module.prompts} />
    </div>
  )
}
