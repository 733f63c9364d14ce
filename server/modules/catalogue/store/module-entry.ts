import { pinnedTools } from '../../mcp/instructions.ts'
import type { IconAddresses } from '../../../../contract/icons.ts'
import type { Isolation, ModuleEntry } from '../../../../contract/modules.ts'
import { addressesOf } from '../../../chat/ports/tools.ts'
import { byName } from '../../../kernel/text/name-order.ts'
import { cut, visible } from '../../../kernel/text/plain-text.ts'
import { iso } from '../../../kernel/time.ts'
import { bundleOrigin } from '../../bundle/manifest/bundle-origin.ts'
import { iconPaths } from '../../bundle/manifest/read-icon.ts'
import { moduleTexts } from '../../bundle/manifest/module-texts.ts'
import type { FoundIsolation } from '../../spec/module-link.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { isolationOf } from '../settings/isolation-rule.ts'
import { type ModuleRecord, versionOf } from './module-record.ts'
import { wordingOf } from '../module-wording.ts'
import { standingOf } from '../standing.ts'

/** One entry of the catalogue, with its sentences in a language. */
export function moduleEntry(context: CatalogueContext, record: ModuleRecord, language: string): ModuleEntry {
  const { name, kind, manifest } = record
  const tools = context.host.runtime(name)?.tools ?? []
  const { state, problem } = standingOf(context, record)
  const icon = iconOf(context, record)
  return {
    name,
    display_name: displayName(record, language),
    version: versionOf(record),
    kind,
    builtin: kind === 'builtin',
    reach: record.builtin?.reach ?? 'machine',
    state,
    problem: problem?.in(language) ?? null,
    description:
      manifest === null ? (record.url ?? '') : moduleTexts(manifest, wordingOf(record, language)).description,
    icon_url: icon?.light ?? null,
    ...(icon !== null && { icon }),
    tools_count: tools.length > 0 ? tools.filter(({ pin }) => pin !== 'missing').length : knownTools(record),
    changed_tools: tools.filter(({ pin }) => pin === 'changed' || pin === 'new').length,
    isolation: isolationIn(isolationOf(context, record), language),
    source: sourceOf(record),
    changed_at: changedAt(record),
    previous_version: previousOf(record),
  }
}

function sourceOf({ current }: ModuleRecord): ModuleEntry['source'] {
  const origin = current === null ? null : bundleOrigin(current.manifest)
  return origin === null || origin.kind === 'uv' ? null : { kind: origin.kind, name: cut(visible(origin.name), 214) }
}

/** The newest of those that were installed before the current one. */
function previousOf({ current, versions }: ModuleRecord): string | null {
  const before = versions.filter(({ installed_at }) => current !== null && installed_at < current.installed_at)
  return before[0]?.version ?? null
}

function changedAt({ kind, current, created_at }: ModuleRecord): string | null {
  if (kind === 'builtin') return null
  const at = current?.installed_at ?? created_at
  return at === 0 ? null : iso(at)
}

/** What a module is called in a language. */
export function displayName(record: ModuleRecord, language: string): string {
  return cut(wordingOf(record, language).text(record.display_name), 80)
}

/** All modules by name, without removed built-ins. */
export function moduleEntries(context: CatalogueContext, language: string): ModuleEntry[] {
  const entries = [...context.records().values()]
    .filter(({ removed }) => !removed)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((record) => moduleEntry(context, record, language))
  return byName(entries, language, (entry) => entry.display_name)
}

export function isolationIn({ level, reason }: FoundIsolation, language: string): Isolation {
  return { level, reason: reason.in(language) }
}

/** The number of tools while it isn't running: those agreed to, or else those it declares. */
function knownTools(record: ModuleRecord): number {
  const pinned = pinnedTools(record.pins).length
  return pinned > 0 ? pinned : (record.manifest?.tools?.length ?? 0)
}

/** That of its files, which is there while it does not run; else what its server says that it looks like. */
function iconOf(context: CatalogueContext, { name, manifest }: ModuleRecord): IconAddresses | null {
  const url = `/api/modules/${name}/icon`
  if (iconPaths(manifest, 'light').length > 0)
    return {
      light: url,
      dark: `${url}${iconPaths(manifest, 'dark')[0] === iconPaths(manifest, 'light')[0] ? '' : '?theme=dark'}`,
    }
  const icons = context.host.runtime(name)?.icons ?? null
  return icons === null ? null : addressesOf(icons)
}
