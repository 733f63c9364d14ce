import type { Role } from './tool-rules.ts'

export type Rule = Role['rules'][number]

/** Whether two rules say the same; null is only null. */
export function sameRule(a: Rule | null, b: Rule | null): boolean {
  return a === b || (a !== null && b !== null && ruleKey(a) === ruleKey(b))
}

/** The rule as text, whatever the order of its keys. */
export function ruleKey(rule: Rule): string {
  return JSON.stringify(sorted(rule))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}
