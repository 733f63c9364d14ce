import { newId } from '../../kernel/id.ts'
import { quoted, say, type Sentence } from '../../kernel/sentence.ts'
import type { CallHost } from '../ports/hosts.ts'
import type { UserPolicy } from '../ports/policy.ts'
import type { ProcedureCall } from '../ports/procedures.ts'
import type { CallAbout, Tool, ToolResult } from '../ports/tools.ts'
import { helperInPlan } from '../run/procedure-call.ts'
import { runPolicy } from '../run/run-policy.ts'
import type { Step } from '../run/step.ts'

/**
 * Calls the tool that another names for its preview or verification, on one of its machines: it only reads, may not ask, and has
 * `limits.helperTime`. A sentence when it may not be called. Never rejects.
 */
export async function callHelper(
  { ports, run, plan, limits, signal }: Step,
  of: Tool,
  name: string,
  input: Record<string, unknown>,
  about: CallAbout,
  host: CallHost | null,
): Promise<ToolResult | Sentence> {
  // As of now, and before the tool is looked up: the engine may have taken minutes to ask for the call.
  const policy = await runPolicy(ports.policy, run.row).catch(() => null)
  const helper = ports.tools.find(of.module, name)
  if (policy === null || helper?.effect !== 'read') return say`The tool is no longer available.`
  const bare = helper.bare ?? helper
  const filled = bare.fill(input)
  const procedure = helperInPlan(plan, run, of)
  const denied = denialOf(policy, { of, helper: bare }, { input, filled }, { host, procedure })
  if (denied !== null) return quoted(denied)
  const wrong = bare.check(filled)
  if (wrong !== null) return say`The arguments do not fit: ${wrong}`
  const time = AbortSignal.timeout(limits.helperTime)
  const { user_id, run_id, conversation_id } = run.row
  const result = await ports.tools.call(
    {
      tool_call_id: newId('toolCall'),
      module: helper.module,
      tool: helper.name,
      definition_hash: helper.definition_hash,
      input: filled,
      user_id,
      run_id,
      conversation_id,
      ...(host !== null && !host.local && { host_id: host.host_id }),
      about,
      ask: () => Promise.resolve({ action: 'cancel' }),
    },
    AbortSignal.any([signal, time]),
    () => undefined,
  )
  if (time.aborted && !signal.aborted && result.status !== 'done')
    return say`It did not end within ${limits.helperTime / 1000} s.`
  return result
}

/**
 * Why it may not be called; null when it may. That the call itself asks is no reason to ask for this, too; a rule that denies
 * is one. Where none is about it, one that is built in is part of the tool: whoever may ask for that sees what it would do.
 */
function denialOf(
  policy: UserPolicy,
  { of, helper }: { readonly of: Tool; readonly helper: Tool },
  { input, filled }: { readonly input: Record<string, unknown>; readonly filled: Record<string, unknown> },
  { host, procedure }: { readonly host: CallHost | null; readonly procedure: ProcedureCall | undefined },
): string | null {
  const context = { untrusted: false, ...(host && { hosts: [host] }) }
  const own = policy.call(helper, filled, context)
  if (own.effect !== 'deny') return null
  if (!helper.builtin || own.ruled_out === true) return own.reason
  const { effect, reason } = policy.call(of.bare ?? of, input, { ...context, procedure })
  return effect === 'deny' ? reason : null
}
