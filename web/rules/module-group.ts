import { useQueries } from '@tanstack/react-query'
import type { ModuleDetail, ModuleEntry, ModuleTool } from '../../contract/modules.ts'
import { moduleQuery } from '../modules/list/module-queries.ts'
import { t } from '../text/i18n.ts'
import type { RuleGroup } from './rule-lines.ts'
import { effectOf, ruleSubject } from './tool-rules.ts'

/** A module's tools as lines of rules; null while they are not loaded. */
export function moduleGroup(module: ModuleEntry, tools: readonly ModuleTool[] | null, failed = false): RuleGroup {
  return {
    id: module.name,
    title: module.display_name,
    subject: ruleSubject(module.name, null),
    name: t('roles.all_tools_of', { module: module.display_name }),
    count: tools?.length ?? module.tools_count,
    failed,
    entries:
      tools?.map((tool) => ({
        subject: ruleSubject(module.name, tool.name),
        title: tool.title,
        code: `${module.name}.${tool.name}`,
        effect: tool.effect,
        result: (role) => effectOf(role, module, tool),
      })) ?? null,
  }
}

/** The tools of all modules. What a folded module sums up needs its tools, so all are loaded. */
export function useModuleGroups(modules: readonly ModuleEntry[]): readonly RuleGroup[] {
  return useQueries({
    queries: modules.map(({ name }) => moduleQuery(name)),
    combine: (details) =>
      modules.map((module, at) => {
        const { data, isError } = details[at] as { data: ModuleDetail | undefined; isError: boolean }
        return moduleGroup(module, data?.tools ?? null, isError)
      }),
  })
}
