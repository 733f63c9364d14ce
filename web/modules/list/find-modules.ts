import type { ModuleEntry, ModuleState } from '../../../contract/modules.ts'
import { foldText } from '../../text/fold.ts'

export const MODULE_FILTERS = ['on', 'attention', 'off'] as const
export type ModuleFilter = (typeof MODULE_FILTERS)[number]

const ATTENTION: readonly ModuleState[] = [
  'needs_configuration',
  'degraded',
  'retrying',
  'failed',
  'incompatible',
  'needs_review',
]

/** Whether the module needs someone's attention. */
function needsAttention({ state, changed_tools: changed }: ModuleEntry): boolean {
  return ATTENTION.includes(state) || (changed > 0 && state !== 'disabled')
}

/** Modules that match all words and the filter, if there is one: those that need attention first, else in the order given. */
export function findModules(
  modules: readonly ModuleEntry[],
  search: string,
  filter: ModuleFilter | '',
): readonly ModuleEntry[] {
  const words = foldText(search).split(/\s+/).filter(Boolean)
  return modules
    .filter((module) => {
      const text = foldText(`${module.display_name} ${module.name} ${module.description} ${module.kind}`)
      return fits(module, filter) && words.every((word) => text.includes(word))
    })
    .toSorted((a, b) => Number(needsAttention(b)) - Number(needsAttention(a)))
}

function fits(module: ModuleEntry, filter: ModuleFilter | ''): boolean {
  if (filter === 'attention') return needsAttention(module)
  if (filter === 'off') return module.state === 'disabled'
  return filter === '' || module.state !== 'disabled'
}
