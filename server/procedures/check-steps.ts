import { HOST_ARGUMENT, MACHINE_MODULE } from '../../contract/host-values.ts'
import type { Param, ProcedureStep } from '../../contract/procedure-values.ts'
import { type Tool, worksOnMachines } from '../chat/ports/tools.ts'
import type { FieldError } from '../kernel/app-error.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import type { Content } from './content.ts'
import type { ProceduresContext } from './procedures-context.ts'
import { paramOf } from '../../contract/parameter-reference.ts'
import { fillIn, type Reference, referencesIn } from './references.ts'
import { sampleOf } from './values.ts'

/** Tools that start a program from their arguments. */
const COMMANDS = new Set(['run_command', 'run_command_as_root'])

export interface StepProblem extends FieldError {
  readonly message: Sentence
}

/**
 * What stands in the way of a review, with the tools as they are now: each must be the one that was meant when the draft was
 * saved, and take what it would be sent.
 */
export function stepProblems(
  { params, steps }: Content,
  context: Pick<ProceduresContext, 'tools' | 'judge' | 'hosts'>,
): StepProblem[] {
  const problems: StepProblem[] = []
  const used = new Set<string>()
  const known = { judge: context.judge, hosts: context.hosts.known() }
  const samples = Object.fromEntries(params.map((param) => [param.name, sampleOf(param, known)]))
  for (const [i, step] of steps.entries()) {
    const at = `steps.${i}`
    const { found } = referencesIn(step.arguments)
    for (const { param } of found) used.add(param)
    const tool = context.tools.find(step.module, step.tool)
    const why =
      tool === undefined || tool.hidden === true
        ? MISSING
        : stepProblem(step, tool, found, { params, samples, context })
    if (why !== null) problems.push({ path: at, message: why })
  }
  for (const [i, { name, title }] of params.entries())
    if (!used.has(name)) problems.push({ path: `params.${i}`, message: say`No step uses “${title}”.` })
  return problems
}

/**
 * The first step whose tool does not take the arguments that these values make, so that a run doesn't stop there in the
 * middle. Tools that have changed since the review are judged when their step is due. `param`: whose value it is about.
 */
export function stepThatRefuses(
  { steps }: Content,
  values: Readonly<Record<string, unknown>>,
  { tools }: Pick<ProceduresContext, 'tools'>,
): { readonly param: string | null; readonly why: Sentence } | null {
  for (const [i, { module, tool: name, arguments: given, definition_hash }] of steps.entries()) {
    const tool = tools.find(module, name)
    if (tool?.definition_hash !== definition_hash) continue
    const wrong = tool.check(tool.fill(fillIn(given, values) as Record<string, unknown>))
    if (wrong === null) continue
    const own = new Set(referencesIn(given).found.flatMap(({ path, param }) => (path === HOST_ARGUMENT ? [] : param)))
    return { param: own.size === 1 ? [...own][0]! : null, why: say`Step ${i + 1} does not take this: ${wrong}` }
  }
  return null
}

const MISSING = say`There is no such tool now.`

function stepProblem(
  step: ProcedureStep,
  tool: Tool,
  found: readonly Reference[],
  of: {
    readonly params: readonly Param[]
    readonly samples: Readonly<Record<string, unknown>>
    readonly context: Pick<ProceduresContext, 'judge'>
  },
): Sentence | null {
  if (tool.definition_hash !== step.definition_hash) return say`The tool has changed. Save the draft anew.`
  if (worksOnMachines(tool) && step.arguments[HOST_ARGUMENT] === undefined)
    return say`It works on a machine: name it in “${HOST_ARGUMENT}”, or make it a parameter.`
  const tests = new Map(of.params.map(({ name, test }) => [name, test]))
  const isUnder = ({ param }: Reference): boolean => {
    const test = tests.get(param)
    return test !== undefined && 'under' in ('each' in test ? test.each : test)
  }
  if (!tool.real_paths && found.some(isUnder))
    return say`The tool does not promise that links cannot lead out of the folder.`
  const command = commandProblem(step, found, of)
  if (command !== null) return command
  const input = tool.fill(fillIn(step.arguments, of.samples) as Record<string, unknown>)
  const wrong = tool.check(input)
  return wrong === null ? null : say`The arguments do not fit: ${wrong}`
}

/** A value becomes one argument of a program, and never a program, a script, or a word behind what runs others. */
function commandProblem(
  { module, tool, arguments: given }: ProcedureStep,
  found: readonly Reference[],
  { params, context }: { readonly params: readonly Param[]; readonly context: Pick<ProceduresContext, 'judge'> },
): Sentence | null {
  if (module !== MACHINE_MODULE || !COMMANDS.has(tool)) return null
  const own = found.filter(({ path }) => path !== HOST_ARGUMENT)
  if (own.length === 0) return null
  if (own.some(({ path }) => path.split('.')[0] !== 'args') || paramOf(given.args) !== null)
    return say`Parameters of a command are single words of “args”: never the program, its folder or its input.`
  if (given.shell === true) return say`A script of a shell takes no parameters.`
  const isOpen = ({ param }: Reference) => params.some(({ name, test }) => name === param && 'any' in test)
  return own.some(isOpen) && typeof given.command === 'string' ? context.judge.openWord(given.command) : null
}
