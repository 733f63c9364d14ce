import type { LucideIcon } from 'lucide-react'
import type { ShortcutId } from '../keys/shortcuts.ts'
import { rank, type Range } from './rank.ts'

export const GROUPS = ['conversations', 'commands', 'pages', 'tools', 'actions'] as const
export type PaletteGroup = (typeof GROUPS)[number]

/** One entry of the palette. */
export interface PaletteEntry {
  readonly id: string
  readonly group: PaletteGroup
  readonly title: string
  readonly icon: LucideIcon
  /** A second, quieter line. */
  readonly detail?: string
  /** Searched as well, but not shown. */
  readonly keywords?: string
  /** Found by the server: kept even when its title does not contain the query. */
  readonly found?: boolean
  /** The shortcut whose keys are shown. */
  readonly shortcut?: ShortcutId
  run(): void
}

export interface RankedEntry {
  readonly entry: PaletteEntry
  readonly ranges: readonly Range[]
}

export interface RankedGroup {
  readonly group: PaletteGroup
  readonly entries: readonly RankedEntry[]
}

/** Maximum entries per group without and with a query. */
const FEW = 5
const MANY = 8

/**
 * Matching entries by group, best first, starting with the group of the best entry. Without a query: some of each, in
 * order.
 */
export function rankEntries(entries: readonly PaletteEntry[], query: string): RankedGroup[] {
  const asked = query.trim() !== ''
  const groups = GROUPS.map((group) => {
    const scored = entries
      .filter((entry) => entry.group === group)
      .flatMap((entry) => {
        const score = scoreOf(entry, query)
        return score === null ? [] : [{ entry, ...score }]
      })
    // toSorted is stable: equal entries keep their order (newest, most used).
    const sorted = asked ? scored.toSorted((a, b) => b.score - a.score) : scored
    return {
      group,
      best: sorted[0]?.score ?? 0,
      entries: sorted.slice(0, asked ? MANY : group === 'actions' ? scored.length : FEW),
    }
  })
  return groups
    .filter((group) => group.entries.length > 0)
    .toSorted((a, b) => b.best - a.best)
    .map(({ group, entries: ranked }) => ({ group, entries: ranked }))
}

function scoreOf(entry: PaletteEntry, query: string): { score: number; ranges: readonly Range[] } | null {
  const title = rank(entry.title, query)
  if (title) return title
  if (entry.keywords !== undefined && rank(entry.keywords, query)) return { score: 0.4, ranges: [] }
  return entry.found === true ? { score: 0.2, ranges: [] } : null
}
