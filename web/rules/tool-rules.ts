import type { Output } from '../client/api-types.ts'
import type { ModuleEntry, ModuleTool } from '../../contract/modules.ts'

type SavedRole = Output<'GET /api/admin/roles'>['items'][number]
export interface Role extends SavedRole {
  /** The rules that bind everybody, and so this role, too. */
  readonly common?: SavedRole['rules']
}
export type Effect = Role['rules'][number]['effect']
/** Null: no rule. */
export type RuleChoice = Effect | null

export const EFFECTS: readonly Effect[] = ['allow', 'ask', 'deny']
const SEVERITY: Record<Effect, number> = { allow: 0, ask: 1, deny: 2 }

/** Where the effect of a tool or permission comes from. */
export type Source =
  | 'tool_rule'
  | 'module_rule'
  | 'default_read'
  | 'default_machine'
  | 'default'
  | 'unknown_effect'
  | 'not_agreed'
  | 'permission_rule'
  | 'default_allow'
  | 'default_admin'
  | 'default_procedure'
  | 'everybody'
  | 'machine_rule'
/** The resulting effect and its source. */
export interface RuleResult {
  readonly effect: Effect
  readonly source: Source
}

/** `tool:<module>.<tool>`; without a tool, the rule for all tools of the module. */
export function ruleSubject(module: string, tool: string | null): string {
  return `tool:${module}.${tool ?? '*'}`
}

/** Whether a rule looks at the arguments of calls; the grid shows how many there are, and leaves them alone. */
export function isConditional({ when, unless, free }: Role['rules'][number]): boolean {
  return when !== undefined || unless !== undefined || free !== undefined
}

/** Whether a rule says more than the effect that its cell shows: conditions, who decides, or how far it reaches. */
export function isDetailed(rule: Role['rules'][number]): boolean {
  return isConditional(rule) || saysMore(rule)
}

/** Whether a rule says who decides, or what it does to earlier approvals and after untrusted reading. */
function saysMore({ approvers, every_time, even_untrusted }: Role['rules'][number]): boolean {
  return approvers !== undefined || every_time !== undefined || even_untrusted !== undefined
}

/** How many rules for a subject say more than its cell shows. */
export function detailedRules(rules: Role['rules'], subject: string): number {
  return rules.filter((rule) => rule.subject === subject && isDetailed(rule)).length
}

/** The role's own rule for all calls of a subject; of several, the strictest, as on the server. */
export function ruleOf(rules: Role['rules'], subject: string): RuleChoice {
  return strictest(rules.filter((rule) => rule.subject === subject && !isConditional(rule)).map(({ effect }) => effect))
}

/**
 * The rules with this one replacing those for the same subject, but for those with conditions. One that has this effect
 * already stays as it is, with who decides.
 */
export function withRule(rules: Role['rules'], subject: string, choice: RuleChoice): Role['rules'] {
  const [others, own] = [true, false].map((other) =>
    rules.filter((rule) => (rule.subject !== subject || isConditional(rule)) === other),
  )
  const same = own!.filter(({ effect }) => effect === choice)
  return choice === null ? others! : [...others!, ...(same.length > 0 ? same : [{ subject, effect: choice }])]
}

/**
 * The effect of a tool and its source: the strictest rule, else the default (non-administrator roles get none of the
 * machine's tools), and never weaker than asking while its effect is unknown or nobody has agreed to it. Mirrors the
 * server's policy engine, which makes the actual decision (see the test next to this file).
 */
export function effectOf(
  { rules, admin, common = [] }: Pick<Role, 'rules' | 'admin' | 'common'>,
  { name: module, builtin, reach }: Pick<ModuleEntry, 'name' | 'builtin' | 'reach'>,
  tool: Pick<ModuleTool, 'name' | 'effect' | 'pin'>,
): RuleResult {
  const own = ruleOf(rules, ruleSubject(module, tool.name))
  const shared = ruleOf(rules, ruleSubject(module, null))
  const steps: RuleResult[] = []
  if (own !== null) steps.push({ effect: own, source: 'tool_rule' })
  if (shared !== null) steps.push({ effect: shared, source: 'module_rule' })
  if (steps.length === 0) {
    const reads = builtin && tool.effect === 'read'
    if (builtin && reach === 'machine' && !admin) steps.push({ effect: 'deny', source: 'default_machine' })
    else steps.push(reads ? { effect: 'allow', source: 'default_read' } : { effect: 'ask', source: 'default' })
  }
  for (const subject of [ruleSubject(module, tool.name), ruleSubject(module, null)]) {
    const all = ruleOf(common, subject)
    if (all !== null) steps.push({ effect: all, source: 'everybody' })
  }
  if (tool.effect === 'unknown') steps.push({ effect: 'ask', source: 'unknown_effect' })
  if (tool.pin !== 'agreed') steps.push({ effect: 'ask', source: 'not_agreed' })
  return steps.reduce((a, b) => (SEVERITY[b.effect] > SEVERITY[a.effect] ? b : a))
}

/** The effect of a permission: its rule, otherwise allowed; the audit log and reviews are for administrators by default, and procedures for nobody. */
export function permissionEffect(
  { rules, admin, common = [] }: Pick<Role, 'rules' | 'admin' | 'common'>,
  permission: string,
): RuleResult {
  const own = ownEffect(rules, admin, permission)
  const all = ruleOf(common, permission)
  return all !== null && SEVERITY[all] > SEVERITY[own.effect] ? { effect: all, source: 'everybody' } : own
}

function ownEffect(rules: Role['rules'], admin: boolean, permission: string): RuleResult {
  const own = ruleOf(rules, permission)
  if (own !== null) return { effect: own, source: 'permission_rule' }
  if ((permission === 'audit.read' || permission === 'procedures.review') && !admin)
    return { effect: 'deny', source: 'default_admin' }
  if (permission.startsWith('procedure:')) return { effect: 'deny', source: 'default_procedure' }
  return { effect: 'allow', source: 'default_allow' }
}

export function strictest(effects: readonly Effect[]): RuleChoice {
  return effects.reduce<RuleChoice>((a, b) => (a === null || SEVERITY[b] > SEVERITY[a] ? b : a), null)
}
