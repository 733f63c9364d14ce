import type { Verification } from '../../../contract/messages.ts'
import type { ToolCallTable } from '../../db/rows/chat-tables.ts'
import { canonicalJson } from '../../kernel/text/canonical.ts'
import type { ProcedureCall, ProcedurePlan } from '../ports/procedures.ts'
import type { Tool } from '../ports/tools.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import type { StoredRun } from './run-store.ts'

/** Thrown to end the run of a procedure whose last step did not succeed, or that may not go on. */
export class ProcedureStopped extends Error {
  readonly detail: Sentence
  constructor(detail: Sentence) {
    super(detail.toString())
    this.name = 'ProcedureStopped'
    this.detail = detail
  }
}

/** @throws {ProcedureStopped} when it cannot be said of every step so far that it was done */
export function refuseToGoOn(plan: ProcedurePlan, { row, calls }: StoredRun): void {
  if (plan.problem !== null) throw new ProcedureStopped(plan.problem)
  const at = row.step
  const of = plan.steps.length
  const [bad] = calls.filter(({ status }) => status !== 'done')
  if (bad !== undefined)
    throw new ProcedureStopped(
      bad.status === 'unknown'
        ? say`It is unknown how step ${at} of ${of} ended, so nothing after it was run. Check before you run it again.`
        : bad.status === 'denied'
          ? say`Step ${at} of ${of} was not permitted, so nothing after it was run.`
          : say`Step ${at} of ${of} did not succeed, so nothing after it was run.`,
    )
  if (calls.some(didNotTake))
    throw new ProcedureStopped(say`Step ${at} of ${of} did not take, so nothing after it was run.`)
}

/** It ended well, and yet what it was to bring about was not found afterwards. */
function didNotTake({ verified }: Pick<ToolCallTable, 'verified'>): boolean {
  return verified !== null && (JSON.parse(verified) as Verification).outcome === 'did_not_take'
}

/**
 * What a call is to the plan of its run: the review covers it only if it is the step at its place (from 0), byte for byte.
 */
export function callInPlan(
  plan: ProcedurePlan | null,
  at: number,
  tool: Tool,
  input: Record<string, unknown>,
): ProcedureCall | undefined {
  if (plan === null) return undefined
  const step = plan.steps[at]
  const reviewed =
    plan.problem === null &&
    step !== undefined &&
    step.module === tool.module &&
    step.tool === tool.name &&
    step.definition_hash === tool.definition_hash &&
    canonicalJson(tool.fill(step.arguments)) === canonicalJson(input)
  const { procedure_id, name, content_hash } = plan
  return { procedure_id, name, content_hash, reviewed, confirm: step?.confirm ?? true }
}

/** The same for what a tool reads before and after one of its calls, which was judged by itself. */
export function helperInPlan(
  plan: ProcedurePlan | null,
  { row, state }: StoredRun,
  of: Tool,
): ProcedureCall | undefined {
  if (plan === null) return undefined
  const step = plan.steps[state.status === 'thinking' ? row.step : row.step - 1]
  const same = step?.module === of.module && step.tool === of.name && step.definition_hash === of.definition_hash
  const { procedure_id, name, content_hash } = plan
  return { procedure_id, name, content_hash, reviewed: plan.problem === null && same, confirm: false }
}
