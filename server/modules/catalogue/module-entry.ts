import type { ModuleEntry } from '../../../contract/modules.ts'
import { moduleTexts } from '../bundle/module-texts.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { isolationOf } from './isolation-rule.ts'
import { type ModuleRecord, versionOf } from './module-record.ts'
import { standingOf } from './standing.ts'

/** One line of the catalogue. */
export function moduleEntry(context: CatalogueContext, record: ModuleRecord): ModuleEntry {
  const { name, kind, manifest } = record
  const tools = context.host.runtime(name)?.tools ?? []
  const { state, problem } = standingOf(context, record)
  return {
    name,
    display_name: record.display_name,
    version: versionOf(record),
    kind,
    builtin: kind === 'builtin',
    state,
    problem,
    description: manifest === null ? (record.url ?? '') : moduleTexts(manifest).description,
    icon_url: hasIcon(record) ? `/api/modules/${name}/icon` : null,
    tools_count: tools.length > 0 ? tools.filter(({ pin }) => pin !== 'missing').length : knownTools(record),
    changed_tools: tools.filter(({ pin }) => pin === 'changed' || pin === 'new').length,
    isolation: isolationOf(context, record),
  }
}

/** All modules by name; removed built-ins are not among them. */
export function moduleEntries(context: CatalogueContext): ModuleEntry[] {
  return [...context.records().values()]
    .filter(({ removed }) => !removed)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((record) => moduleEntry(context, record))
}

/** While it does not run: what was agreed to, else what it declares. */
function knownTools(record: ModuleRecord): number {
  return record.pins.size > 0 ? record.pins.size : (record.manifest?.tools?.length ?? 0)
}

function hasIcon({ manifest }: ModuleRecord): boolean {
  const icon = manifest?.icon ?? manifest?.icons?.[0]?.src
  return icon !== undefined && !/^[a-z]+:/i.test(icon)
}
