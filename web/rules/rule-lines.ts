import type { ModuleTool } from '../../contract/modules.ts'
import type { Effect, Role, RuleResult } from './tool-rules.ts'

/** A tool or permission: what one rule is about. */
export interface RuleEntry {
  readonly subject: string
  readonly title: string
  /** `<module>.<tool>`, or the permission. */
  readonly code: string
  /** Null for permissions. */
  readonly effect: ModuleTool['effect'] | null
  /** Null where only a rule for this very entry says something, and there is none. */
  result(role: Pick<Role, 'rules' | 'admin' | 'common'>): RuleResult | null
  /** Nobody can be told how a call about it comes to its verdict: it is about none by itself. */
  readonly unexplained?: true
}

/** A module with its tools, or the permissions. */
export interface RuleGroup {
  readonly id: string
  readonly title: string
  /** What a rule for all entries is about; null where there is no such rule. */
  readonly subject: string | null
  /** Name of all entries together: "All tools of System". */
  readonly name: string
  readonly count: number
  /** Null until they are loaded. */
  readonly entries: readonly RuleEntry[] | null
  readonly failed: boolean
}

/** One line of the grid; `key` tells lines apart, however the list is filtered and folded. */
export type RuleLine =
  | { readonly kind: 'group'; readonly key: string; readonly group: RuleGroup; readonly open: boolean }
  | { readonly kind: 'entry'; readonly key: string; readonly group: RuleGroup; readonly entry: RuleEntry }
  /** In place of entries that are not loaded. */
  | { readonly kind: 'missing'; readonly key: string; readonly group: RuleGroup }

/**
 * The lines to show: each group, followed by its entries where it is open. A filter (words that a line must all contain)
 * opens every group with a match and leaves out the others.
 */
export function linesOf(groups: readonly RuleGroup[], open: ReadonlySet<string>, filter: string): RuleLine[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = (...texts: readonly string[]): boolean => {
    const text = texts.join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  }
  return groups.flatMap((group) => {
    const { id, title, entries } = group
    const found =
      words.length === 0 || fits(title, id)
        ? entries
        : (entries?.filter((entry) => fits(title, id, entry.title, entry.code)) ?? null)
    if (words.length > 0 && found?.length === 0) return []
    const shown = words.length > 0 || open.has(id)
    const head: RuleLine = { kind: 'group', key: `group ${id}`, group, open: shown }
    if (!shown) return [head]
    if (found === null) return [head, { kind: 'missing', key: `missing ${id}`, group }]
    return [head, ...found.map((entry): RuleLine => ({ kind: 'entry', key: entry.subject, group, entry }))]
  })
}

/** What the rule of a line is about, and its name; null where a line has no rule. */
export function ruleAt(line: RuleLine): { readonly subject: string; readonly name: string } | null {
  if (line.kind === 'entry') return { subject: line.entry.subject, name: line.entry.title }
  if (line.kind === 'group' && line.group.subject !== null)
    return { subject: line.group.subject, name: line.group.name }
  return null
}

/** How many entries of a group have which effect for a role. */
export function summaryOf(
  entries: readonly RuleEntry[],
  role: Pick<Role, 'rules' | 'admin' | 'common'>,
): Readonly<Record<Effect, number>> {
  const counts = { allow: 0, ask: 0, deny: 0 }
  for (const entry of entries) {
    const result = entry.result(role)
    if (result !== null) counts[result.effect]++
  }
  return counts
}

/** What a rule is about, in words where they are known. */
export function nameOfSubject(groups: readonly RuleGroup[], subject: string): string {
  for (const group of groups) {
    if (group.subject === subject) return group.name
    const entry = group.entries?.find((one) => one.subject === subject)
    if (entry !== undefined) return entry.title
  }
  return subject
}
