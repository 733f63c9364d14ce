import type { RuleEntry, RuleGroup } from './rule-lines.ts'
import { EFFECTS, type Effect, type Role } from './tool-rules.ts'

/** What becomes different for the users of a role: all entries that get the same effect. */
export interface EffectChange {
  readonly role: Role
  readonly to: Effect
  readonly items: readonly { readonly entry: RuleEntry; readonly from: Effect }[]
}

/** What the drafted roles decide differently from the saved ones, role by role, the loosest first. */
export function previewOf(
  saved: readonly Role[],
  drafted: readonly Role[],
  groups: readonly RuleGroup[],
): readonly EffectChange[] {
  const entries = groups.flatMap((group) => group.entries ?? [])
  return drafted.flatMap((role) => {
    const before = saved.find(({ role_id }) => role_id === role.role_id)
    // What binds everybody shows in what becomes different for each of the others.
    if (before === undefined || role.everybody) return []
    if (before.rules === role.rules && before.common === role.common) return []
    const changed = entries.flatMap((entry) => {
      const [from, to] = [entry.result(before)?.effect, entry.result(role)?.effect]
      return from === undefined || to === undefined || from === to ? [] : [{ entry, from, to }]
    })
    return EFFECTS.map((to) => ({ role, to, items: changed.filter((one) => one.to === to) })).filter(
      ({ items }) => items.length > 0,
    )
  })
}
