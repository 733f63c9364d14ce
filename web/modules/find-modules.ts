import type { ModuleEntry, ModuleState } from '../../contract/modules.ts'

export const MODULE_FILTERS = ['all', 'on', 'attention', 'off'] as const
export type ModuleFilter = (typeof MODULE_FILTERS)[number]

const ATTENTION: readonly ModuleState[] = [
  'needs_configuration',
  'degraded',
  'retrying',
  'failed',
  'incompatible',
  'needs_review',
]

/** Whether somebody has to do something about it. */
function needsAttention({ state, changed_tools: changed }: ModuleEntry): boolean {
  return ATTENTION.includes(state) || (changed > 0 && state !== 'disabled')
}

/** The modules that fit all words and the filter; those that need somebody first, then by name. */
export function findModules(
  modules: readonly ModuleEntry[],
  search: string,
  filter: ModuleFilter,
): readonly ModuleEntry[] {
  const words = fold(search).split(/\s+/).filter(Boolean)
  return modules
    .filter((module) => {
      const text = fold(`${module.display_name} ${module.name} ${module.description} ${module.kind}`)
      return fits(module, filter) && words.every((word) => text.includes(word))
    })
    .toSorted(
      (a, b) =>
        Number(needsAttention(b)) - Number(needsAttention(a)) ||
        a.display_name.localeCompare(b.display_name) ||
        a.name.localeCompare(b.name),
    )
}

function fits(module: ModuleEntry, filter: ModuleFilter): boolean {
  if (filter === 'attention') return needsAttention(module)
  if (filter === 'off') return module.state === 'disabled'
  return filter === 'all' || module.state !== 'disabled'
}

function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
