import { isConditional } from '../../../contract/rule-conditions.ts'
import type { accounts } from '../../../contract/accounts.ts'
import type { SimulatedCalls } from '../../../contract/policy.ts'
import type { Effect, HandlerInput, HandlerOutput } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import { iso } from '../../kernel/time.ts'
import type { AccountsContext, PastCall } from '../accounts-context.ts'
import { loadRole } from './load-role.ts'
import { ruleKey } from './compiled-rules.ts'
import { decideOn } from './decide-on.ts'
import { judgedArguments, machinesOf } from './on-machines.ts'
import { ARGUMENTS_LIMIT, type PolicyRole } from './permissions.ts'
import type { Question, Step } from './question.ts'
import { readSubject } from './policy-subject.ts'
import { COMMON } from './rule-steps.ts'

const DAY_MS = 24 * 3_600_000

/** Calls whose arguments are in memory at once. */
const PAGE = 500

/** A role by its saved rules, and by the given ones. */
interface Sides {
  readonly saved: PolicyRole
  readonly given: PolicyRole
}

/** Of a rule with conditions: the calls it was tried with, and those it applies to. */
interface RuleCounts {
  readonly rule: number
  calls: number
  applies: number
}

/** What a call came to, and the rules with conditions that were tried with it. */
interface Replayed {
  readonly effects: readonly [Effect, Effect]
  readonly tried: readonly Step[]
}

/**
 * Replays the past calls of a role's users (of all users for the role that binds everybody) against other rules, using the
 * policy engine itself. Tools are judged as they are now; one that is not running cannot be judged, nor can conditions be
 * tried with a call of another definition, or whose arguments are not kept: they are only counted.
 * @throws {AppError} not_found
 */
export async function simulatePolicy(
  context: AccountsContext,
  { role_id, rules, days, limit }: HandlerInput<typeof accounts.simulatePolicy>['body'],
): Promise<HandlerOutput<typeof accounts.simulatePolicy>> {
  const roles = await sidesOf(context, storable(role_id), rules)
  const since = context.clock() - days * DAY_MS
  const hosts = await context.hosts()
  const changed: SimulatedCalls[] = []
  const byRule = new Map(conditionalRules(rules))
  let calls = 0
  let missing = 0
  let partial = false
  for (const sides of roles) {
    const past = await context.pastCalls(sides.saved.role_id, since, ARGUMENTS_LIMIT, conditionalModules(sides))
    partial ||= past.partial
    for (let at = 0; at < past.items.length; at += PAGE) {
      const page = past.items.slice(at, at + PAGE)
      const args = await context.pastArguments(
        page.flatMap(({ same, long }) => (same && !long ? [same.tool_call_id] : [])),
      )
      for (const call of page) {
        calls += call.calls
        const replayed = replay(context, call, sides, { args, hosts })
        if (replayed === null) missing += call.calls
        else if (replayed.effects[1] !== call.decision) changed.push(entry(call, replayed.effects))
        for (const step of replayed?.tried ?? []) {
          const counts = byRule.get(`${step.subject} ${step.effect} ${hashIn(step)}`)
          if (counts) counts.calls += call.calls
          if (counts && step.matched) counts.applies += call.calls
        }
      }
    }
  }
  return {
    calls,
    changed: changed.reduce((sum, one) => sum + one.calls, 0),
    missing,
    partial,
    items: merged(changed)
      .toSorted((a, b) => b.calls - a.calls || (a.last_at < b.last_at ? 1 : -1))
      .slice(0, limit),
    ...(byRule.size === 0 ? {} : { by_rule: [...byRule.values()] }),
  }
}

/** The role; for the one that binds everybody, each role as it would bind it. */
async function sidesOf({ db }: AccountsContext, role_id: string, rules: PolicyRole['rules']): Promise<Sides[]> {
  const saved = await loadRole(db.read, role_id)
  if (!saved) throw new AppError('not_found', say`There is no such role.`)
  if (!saved.everybody) return [{ saved, given: { ...saved, rules } }]
  const all = await db.read.selectFrom('role').select('role_id').where('role_id', '!=', role_id).execute()
  const roles = await Promise.all(all.map((one) => loadRole(db.read, one.role_id)))
  return roles.flatMap((role) => (role === null ? [] : [{ saved: role, given: { ...role, common: rules } }]))
}

/** Counts of the rules that look at arguments, by what they say. */
function conditionalRules(rules: PolicyRole['rules']) {
  return rules.flatMap((rule, i) =>
    isConditional(rule) ? [[ruleKey(rule), { rule: i, calls: 0, applies: 0 }] as [string, RuleCounts]] : [],
  )
}

/** Modules about which there is a rule with conditions on either side. */
function conditionalModules({ saved, given }: Sides): string[] {
  const all = [saved, given].flatMap(({ rules, common = [] }) => [...rules, ...common])
  const about = all.filter(isConditional).map(({ subject }) => readSubject(subject))
  return [...new Set(about.flatMap((one) => (one.kind === 'tool' ? [one.module] : [])))]
}

function replay(
  { findTool }: AccountsContext,
  { module, tool: name, long, same, targets }: PastCall,
  { saved, given }: Sides,
  known: {
    readonly args: ReadonlyMap<string, Record<string, unknown>>
    readonly hosts: Awaited<ReturnType<AccountsContext['hosts']>>
  },
): Replayed | null {
  const tool = findTool(module, name)
  if (tool === undefined) return null
  const hosts = machinesOf(tool, targets, known.hosts)
  if (hosts === null) return null
  const args = same === null ? undefined : known.args.get(same.tool_call_id)
  const filled = args && tool.definition?.fill(judgedArguments(tool, args))
  const argumentsLength = long ? ARGUMENTS_LIMIT + 1 : 0
  const question: Extract<Question, { kind: 'tool' }> = {
    kind: 'tool',
    tool,
    argumentsLength,
    ...(filled ? { args: filled } : {}),
  }
  const answers = [decideOn(saved, null, question, hosts), decideOn(given, null, question, hosts)] as const
  const tried = answers[1].trace.filter((step) => step.conditions !== undefined)
  const judged = filled !== undefined && same?.definition_hash === tool.definition?.definition_hash
  const depends = answers.some(({ trace }) => trace.some((step) => step.conditions !== undefined))
  if (depends && !judged && !long) return null
  return { effects: [answers[0].effect, answers[1].effect], tried }
}

/** Of a rule's step: the hash of what it says, as in `ruleKey`. */
function hashIn({ by = '' }: Step): string {
  return by.startsWith(COMMON) ? by.slice(COMMON.length) : by
}

function entry(
  { module, tool, title, calls, last_at, decision }: PastCall,
  [saved, given]: readonly [Effect, Effect],
): SimulatedCalls {
  return { module, tool, title, calls, last_at: iso(last_at), decided: decision, saved, given }
}

/** Merges long and short calls of a tool that have the same result into one line. */
function merged(items: readonly SimulatedCalls[]): SimulatedCalls[] {
  const lines = new Map<string, SimulatedCalls>()
  for (const item of items) {
    const key = JSON.stringify([item.module, item.tool, item.decided, item.saved, item.given])
    const same = lines.get(key)
    if (same === undefined) lines.set(key, item)
    else {
      const newer = item.last_at > same.last_at ? item : same
      lines.set(key, { ...newer, calls: item.calls + same.calls })
    }
  }
  return [...lines.values()]
}
