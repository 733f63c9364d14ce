import { newId } from '../../kernel/id.ts'
import { quoted, say, type Sentence } from '../../kernel/sentence.ts'
import type { CallHost } from '../ports/hosts.ts'
import type { CallAbout, Tool, ToolResult } from '../ports/tools.ts'
import type { Step } from '../run/step.ts'

/**
 * Calls the tool that another names for its preview or verification, on one of its machines: it only reads, may not ask, and has
 * `limits.helperTime`. A sentence when it may not be called. Never rejects.
 */
export async function callHelper(
  { ports, policy, run, limits, signal }: Step,
  of: Tool,
  name: string,
  input: Record<string, unknown>,
  about: CallAbout,
  host: CallHost | null,
): Promise<ToolResult | Sentence> {
  const helper = ports.tools.find(of.module, name)
  if (helper?.effect !== 'read') return say`The tool is no longer available.`
  const bare = helper.bare ?? helper
  const filled = bare.fill(input)
  // That the call itself asks is no reason to ask for this, too; a rule that denies is one.
  const { effect, reason } = policy.call(bare, filled, { untrusted: false, ...(host && { hosts: [host] }) })
  if (effect === 'deny') return quoted(reason)
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
