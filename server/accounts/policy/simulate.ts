import type { accounts } from '../../../contract/accounts.ts'
import type { SimulatedCalls } from '../../../contract/policy.ts'
import type { Effect, HandlerInput, HandlerOutput } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import { iso } from '../../kernel/time.ts'
import type { AccountsContext, PastCall } from '../accounts-context.ts'
import { loadRole } from './load-role.ts'
import { ARGUMENTS_LIMIT, decide, type PolicyRole } from './permissions.ts'

const DAY_MS = 24 * 3_600_000

/**
 * Replays the past calls of a role's users against other rules, using the policy engine itself. Tools are judged as
 * they are now; one that is not running cannot be judged, and is only counted.
 * @throws {AppError} not_found
 */
export async function simulatePolicy(
  context: AccountsContext,
  { role_id, rules, days, limit }: HandlerInput<typeof accounts.simulatePolicy>['body'],
): Promise<HandlerOutput<typeof accounts.simulatePolicy>> {
  const saved = await loadRole(context.db.read, storable(role_id))
  if (!saved) throw new AppError('not_found', say`There is no such role.`)
  const given: PolicyRole = { ...saved, rules }
  const past = await context.pastCalls(saved.role_id, context.clock() - days * DAY_MS, ARGUMENTS_LIMIT)
  const changed: SimulatedCalls[] = []
  let calls = 0
  let missing = 0
  for (const call of past.items) {
    calls += call.calls
    const effects = effectsOf(context, call, [saved, given])
    if (effects === null) missing += call.calls
    else if (effects[1] !== call.decision) changed.push(entry(call, effects))
  }
  return {
    calls,
    changed: changed.reduce((sum, one) => sum + one.calls, 0),
    missing,
    partial: past.partial,
    items: merged(changed)
      .toSorted((a, b) => b.calls - a.calls || (a.last_at < b.last_at ? 1 : -1))
      .slice(0, limit),
  }
}

function effectsOf(
  { findTool }: AccountsContext,
  { module, tool: name, long }: PastCall,
  roles: readonly PolicyRole[],
): readonly Effect[] | null {
  const tool = findTool(module, name)
  if (tool === undefined) return null
  const argumentsLength = long ? ARGUMENTS_LIMIT + 1 : 0
  return roles.map((role) => decide(role, null, { kind: 'tool', tool, argumentsLength }).effect)
}

function entry(
  { module, tool, title, calls, last_at, decision }: PastCall,
  effects: readonly Effect[],
): SimulatedCalls {
  const [saved, given] = effects as [Effect, Effect]
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
