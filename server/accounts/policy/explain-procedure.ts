import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { canonicalJson } from '../../kernel/text/canonical.ts'
import type { AccountsContext, ExplainedProcedure } from '../accounts-context.ts'
import { decideOn } from './decide-on.ts'
import { filledArguments, machinesNamed } from './on-machines.ts'
import { type Answer, decide, type PolicyRole, strictest } from './permissions.ts'
import { orUnknown } from './policy-tool.ts'
import type { Question, Step } from './question.ts'

/**
 * Whether a role may run the version of a procedure that runs now: by which rule, who reviewed it, and what comes of each of
 * its steps. The strictest of them counts: a step that is denied, or asks, does so in the middle of a run.
 * @throws {AppError} not_found
 */
export async function explainProcedure(
  context: AccountsContext,
  role: PolicyRole,
  question: Extract<Question, { kind: 'procedure' }>,
  values: Record<string, unknown> | null,
): Promise<Pick<Answer, 'effect' | 'reason' | 'trace'>> {
  const { procedure_id } = question
  const procedure = await context.procedure(procedure_id, values)
  if (procedure === null) throw new AppError('not_found', say`There is no such procedure.`)
  const { trace } = decide(role, null, question)
  const steps = procedure.problem === null ? await stepsOf(context, role, procedure_id, procedure) : []
  // First: it says what the procedure is called, and the others know it by its id alone.
  const all = [reviewStep(procedure), ...trace, ...steps]
  const { effect, note } = strictest(all)
  return { effect: effect!, reason: note, trace: all }
}

function reviewStep({ name, review, problem }: ExplainedProcedure): Step {
  const step = { step: 'review', matched: true, subject: null }
  if (problem !== null) return { ...step, effect: 'deny', note: say`“${name}”: ${problem}` }
  const { version, author, reviewer } = review!
  const gone = say`a deleted user`
  const note = say`“${name}”, version ${version}: written by ${author ?? gone}, reviewed by ${reviewer ?? gone}.`
  return { ...step, effect: null, note }
}

async function stepsOf(
  { findTool, hosts }: AccountsContext,
  role: PolicyRole,
  procedure_id: string,
  { name: called, content_hash, steps }: ExplainedProcedure,
): Promise<Step[]> {
  const machines = await hosts()
  return steps.map(({ module, tool: name, definition_hash, arguments: given, confirm }, at) => {
    const found = findTool(module, name)
    const tool = orUnknown(found, module, name)
    const reviewed = found?.definition?.definition_hash === definition_hash
    const args = given && filledArguments(found, given)
    const named = given === null || typeof given.host !== 'string' ? undefined : given.host
    const on = given === null ? undefined : machinesNamed(tool, named, machines)
    const { effect, reason } = decideOn(
      role,
      null,
      {
        kind: 'tool',
        tool,
        argumentsLength: args === null ? 0 : canonicalJson(args).length,
        ...(args && { args }),
        procedure: { procedure_id, name: called, content_hash, reviewed, confirm },
      },
      on,
    )
    const title = `${module}.${name}`
    const note = say`Step ${at + 1}, ${title}: ${reason}`
    return { step: 'procedure_step', matched: true, subject: `tool:${title}`, effect, note }
  })
}
