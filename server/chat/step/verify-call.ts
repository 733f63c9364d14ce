import type { Verification } from '../../../contract/chat.ts'
import { cut, storable, visible } from '../../kernel/text/plain-text.ts'
import { say, Sentence } from '../../kernel/sentence.ts'
import type { Tool, ToolChange } from '../ports/tools.ts'
import type { Step } from '../run/step.ts'
import { callHelper } from './side-call.ts'

const LENGTH = 500

/** Looks up whether a call took. Null where its tool names nothing that could. Never rejects. */
export async function verifyCall(
  step: Step,
  tool: Tool,
  input: Record<string, unknown>,
  changes: readonly ToolChange[],
): Promise<Verification | null> {
  if (tool.verify === undefined) return null
  const about = { changes: changes.map(({ target, after_hash }) => ({ target, after_hash })) }
  const result = await callHelper(step, tool, tool.verify, input, about)
  const shown = (text: string) =>
    storable(cut(visible(cut(step.ports.secrets.mask(tool.module, text), LENGTH)), LENGTH)).replaceAll('\n', ' ')
  if (result instanceof Sentence)
    return { outcome: 'not_checked', expected: '', found: shown(result.in(step.policy.language)) }
  if (result.status !== 'done' || result.verified === undefined)
    return { outcome: 'not_checked', expected: '', found: shown(result.text.trim()) }
  const { ok, expected, found } = result.verified
  return { outcome: ok ? 'verified' : 'did_not_take', expected: shown(expected), found: shown(found) }
}

/** What the model reads of it below the result; empty when it took. */
export function saidOf(step: Step, verified: Verification | null): string {
  if (verified === null || verified.outcome === 'verified') return ''
  const { expected, found } = verified
  const said =
    verified.outcome === 'did_not_take'
      ? say`[Looked up afterwards: it did not take. Expected: ${expected}. Found: ${found}]`
      : say`[Whether it took could not be looked up: ${found}]`
  return `\n${said.in(step.policy.language)}`
}
