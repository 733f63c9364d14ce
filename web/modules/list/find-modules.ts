import type { ModuleEntry, ModuleState } from '../../../contract/modules.ts'
import { foldText } from '../../text/fold.ts'

export const MODULE_FILTERS = ['on', 'attention', 'off', 'updates', 'recent'] as const
export type ModuleFilter = (typeof MODULE_FILTERS)[number]

/** What was installed or changed within these counts as changed lately. */
const RECENT_MS = 14 * 24 * 3_600_000

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

export interface ModuleSearch {
  readonly search: string
  readonly filter: ModuleFilter | ''
  /** Names of the modules of which there are newer versions, as far as is known. */
  readonly newer: ReadonlySet<string>
  readonly now: number
}

/**
 * Modules that match all words and the filter, if there is one: those that need attention first, else in the order given;
 * the ones that changed lately by when they did.
 */
export function findModules(
  modules: readonly ModuleEntry[],
  { search, filter, newer, now }: ModuleSearch,
): readonly ModuleEntry[] {
  const words = foldText(search).split(/\s+/).filter(Boolean)
  return modules
    .filter((module) => {
      const { display_name, name, description, kind, source } = module
      const text = foldText(`${display_name} ${name} ${description} ${kind} ${source?.name ?? ''}`)
      if (filter === 'updates' && !newer.has(name)) return false
      if (filter === 'recent' && now - changed(module) > RECENT_MS) return false
      return fits(module, filter) && words.every((word) => text.includes(word))
    })
    .toSorted((a, b) =>
      filter === 'recent' ? changed(b) - changed(a) : Number(needsAttention(b)) - Number(needsAttention(a)),
    )
}

function changed({ changed_at }: ModuleEntry): number {
  return changed_at == null ? 0 : Date.parse(changed_at)
}

function fits(module: ModuleEntry, filter: ModuleFilter | ''): boolean {
  if (filter === 'attention') return needsAttention(module)
  if (filter === 'off') return module.state === 'disabled'
  return filter !== 'on' || module.state !== 'disabled'
}
