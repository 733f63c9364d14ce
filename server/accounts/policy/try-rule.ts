import type { accounts } from '../../../contract/accounts.ts'
import type { TriedCall } from '../../../contract/policy.ts'
import type { Caller, HandlerInput, HandlerOutput } from '../../../contract/route.ts'
import { RULE_LIMITS } from '../../../contract/rule-limits.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { cut, storable } from '../../kernel/text/plain-text.ts'
import { iso } from '../../kernel/time.ts'
import type { AccountsContext, CallOfTool } from '../accounts-context.ts'
import { checkRules } from './check-rules.ts'
import { applies, judgeRule, specOf } from './compiled-rules.ts'
import type { Finding } from './conditions/finding.ts'
import { loadRole } from './load-role.ts'
import { callerPermission } from './policy.ts'
import { judgedArguments, machinesOf } from './on-machines.ts'
import { namesOf, readSubject } from './policy-subject.ts'
import type { PolicyTool, ToolDefinition } from './policy-tool.ts'

const DAY_MS = 24 * 3_600_000
/** Calls whose arguments are in memory at once. */
const PAGE = 500
/** Milliseconds after which no further page is read. */
const PATIENCE_MS = 2000
/** Calls that are shown of each kind. */
const SHOWN = 5
/** Characters of arguments that are shown, as in the audit log. */
const ARGUMENTS_SHOWN = 2000

type Body = HandlerInput<typeof accounts.tryRule>['body']
type Tried = HandlerOutput<typeof accounts.tryRule>

/**
 * What a rule would do while it is made: why it cannot be saved, how its examples come out, and the past calls of its tool
 * that it would apply to, and not. Calls that were denied or never finished count, too. Their arguments are shown only to
 * whoever may read the audit log, and as that shows them.
 * @throws {AppError} not_found
 */
export async function tryRule(context: AccountsContext, caller: Caller, { role_id, rule, days }: Body): Promise<Tried> {
  const role = await loadRole(context.db.read, storable(role_id))
  if (!role) throw new AppError('not_found', say`There is no such role.`)
  const about = readSubject(rule.subject)
  const problem = problemOf(context, rule, role.everybody === true, caller.language)
  if (about.kind !== 'tool' || about.tool === null) return { problem, real_paths: false, examples: null, past: null }
  const known = context.findTool(about.module, about.tool)
  const definition = known?.definition
  if (known === undefined || definition === undefined) return { problem, real_paths: false, examples: null, past: null }
  const { real_paths } = definition
  const judge = (args: Record<string, unknown>) =>
    judged(rule, definition, judgedArguments(known, args), caller.language)
  const { match = [], no_match = [] } = rule.examples ?? {}
  const examples = { match: match.map(judge), no_match: no_match.map(judge) }
  const reads = await callerPermission(context.roles, caller, 'audit.read')
  if (reads.effect !== 'allow') return { problem, real_paths, examples, past: null }
  const since = context.clock() - days * DAY_MS
  const { module, tool } = about
  const found = await context.callsOfTool({ module, tool, since, reader_id: caller.user_id })
  return {
    problem,
    real_paths,
    examples,
    past: await tryCalls(context, await onMachine(context, found, known, about.on), judge),
  }
}

function problemOf(
  context: AccountsContext,
  rule: Body['rule'],
  everybody: boolean,
  language: string,
): Tried['problem'] {
  try {
    checkRules(context, [rule], { everybody, stored: [] })
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { path = '', message = error.detail } = error.errors?.[0] ?? {}
    const why = typeof message === 'string' ? message : message.in(language)
    return { code: error.code, path: path.replace(/^rules\.0\.?/, ''), message: why }
  }
}

function judged(rule: Body['rule'], definition: ToolDefinition, given: Record<string, unknown>, language: string) {
  const about = { spec: specOf(rule), effect: rule.effect }
  const outcome = judgeRule(about, definition, definition.fill(given))
  const said = ({ why, ...rest }: Finding) => ({ ...rest, why: why.in(language) })
  return {
    applies: applies(rule.effect, outcome),
    conditions: outcome.findings.slice(0, RULE_LIMITS.conditions * 2).map(said),
  }
}

/** Of a rule about one machine or tag: the calls that were about it, as far as it is still there. */
async function onMachine(
  context: AccountsContext,
  found: Awaited<ReturnType<AccountsContext['callsOfTool']>>,
  tool: PolicyTool,
  on: string | undefined,
) {
  if (on === undefined) return found
  const hosts = await context.hosts()
  const meant = (targets: string | null) =>
    machinesOf(tool, targets, hosts)?.some((host) => namesOf(host).includes(on)) === true
  return { ...found, items: found.items.filter(({ targets }) => meant(targets)) }
}

/** Page by page, so that few arguments are in memory, and not for longer than a person waits. */
async function tryCalls(
  context: AccountsContext,
  { items, partial }: Awaited<ReturnType<AccountsContext['callsOfTool']>>,
  judge: (args: Record<string, unknown>) => ReturnType<typeof judged>,
): Promise<Tried['past']> {
  const began = performance.now()
  const past = { calls: 0, applies: 0, unknown: 0, partial, match: [] as TriedCall[], no_match: [] as TriedCall[] }
  for (let at = 0; at < items.length; at += PAGE) {
    if (at > 0 && performance.now() - began > PATIENCE_MS) {
      past.partial = true
      break
    }
    const page = items.slice(at, at + PAGE)
    const known = await context.pastArguments(page.map(({ tool_call_id }) => tool_call_id))
    for (const call of page) {
      const args = known.get(call.tool_call_id)
      if (args === undefined) {
        past.unknown += call.calls
        continue
      }
      const result = judge(args)
      past.calls += call.calls
      if (result.applies) past.applies += call.calls
      const list = result.applies ? past.match : past.no_match
      if (call.visible && list.length < SHOWN) list.push(shown(call, args, result.conditions))
    }
  }
  return past
}

function shown(
  { tool_call_id, at, username, decision, calls }: CallOfTool,
  args: Record<string, unknown>,
  conditions: TriedCall['conditions'],
): TriedCall {
  const text = JSON.stringify(args)
  return {
    tool_call_id,
    at: iso(at),
    username,
    decision,
    calls,
    arguments: cut(text, ARGUMENTS_SHOWN),
    arguments_cut: text.length > ARGUMENTS_SHOWN,
    conditions,
  }
}
