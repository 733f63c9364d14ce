import type { Verification } from '../../../contract/chat.ts'
import { cut, storable, visible } from '../../kernel/text/plain-text.ts'
import { say, Sentence } from '../../kernel/sentence.ts'
import type { ChangeThere } from '../changes/store-changes.ts'
import type { CallHost } from '../ports/hosts.ts'
import type { Tool, ToolChange } from '../ports/tools.ts'
import type { Step } from '../run/step.ts'
import { type CallTargets, ownArguments } from '../targets/call-targets.ts'
import { callHelper } from './side-call.ts'

const LENGTH = 500

/** Machines asked at once. */
const AT_ONCE = 16

/** A call that has run, and where. */
interface Verified {
  readonly tool: Tool
  readonly input: Record<string, unknown>
  readonly targets: CallTargets | null
}

/**
 * Looks up whether a call took, on each of its machines: one where it did not is what is said of all. Null where its tool
 * names nothing that could. Never rejects.
 */
export async function verifyCall(
  step: Step,
  { tool, input, targets }: Verified,
  changes: readonly ChangeThere[],
): Promise<Verification | null> {
  if (tool.verify === undefined) return null
  if (targets === null || !targets.together) return verifyOn(step, tool, input, changes, targets?.hosts[0] ?? null)
  const found: { readonly host: CallHost; readonly said: Verification }[] = []
  const waiting = [...targets.hosts]
  const worker = async (): Promise<void> => {
    for (let host = waiting.shift(); host !== undefined; host = waiting.shift()) {
      const own = changes.filter((change) => change.host.host_id === host.host_id)
      found.push({ host, said: (await verifyOn(step, tool, input, own, host))! })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  const worst = ['did_not_take', 'not_checked', 'verified'].flatMap((outcome) =>
    targets.hosts.flatMap((host) => found.filter((one) => one.host === host && one.said.outcome === outcome)),
  )[0]!
  if (worst.said.outcome === 'verified') return worst.said
  const { outcome, expected, found: there } = worst.said
  return { outcome, expected, found: cut(`${worst.host.name}: ${there}`, LENGTH) }
}

async function verifyOn(
  step: Step,
  tool: Tool,
  input: Record<string, unknown>,
  changes: readonly ToolChange[],
  host: CallHost | null,
): Promise<Verification | null> {
  const about = { changes: changes.map(({ target, after_hash }) => ({ target, after_hash })) }
  const result = await callHelper(step, tool, tool.verify!, ownArguments(tool, input), about, host)
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
