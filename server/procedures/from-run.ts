import { HOST_ARGUMENT } from '../../contract/host-values.ts'
import { PARAM_KEY } from '../../contract/parameter-reference.ts'
import { PROCEDURE_LIMITS } from '../../contract/procedure-limits.ts'
import { type Draft, type DraftStep, type Param } from '../../contract/procedure-values.ts'
import { worksOnMachines } from '../chat/ports/tools.ts'
import type { Reader } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { cut, visible } from '../kernel/text/plain-text.ts'
import type { ProceduresContext } from './procedures-context.ts'

const MACHINE = 'machine'

/**
 * A draft of the calls of a finished run of the person's own that succeeded, in their order: the machines that they were
 * about become one parameter.
 * @throws {AppError} not_found, bad_procedure
 */
export async function draftOfRun(
  reader: Reader,
  user_id: string,
  run_id: string,
  { tools, hosts, language }: Pick<ProceduresContext, 'tools' | 'hosts'> & { readonly language: string },
): Promise<Draft> {
  const run = await reader
    .selectFrom('run')
    .innerJoin('conversation', 'conversation.conversation_id', 'run.conversation_id')
    .select(['conversation.title', 'run.status', 'conversation.deleted_at'])
    .where('run.run_id', '=', run_id)
    .where('run.user_id', '=', user_id)
    .executeTakeFirst()
  if (run === undefined || run.deleted_at !== null || !ENDED.has(run.status))
    throw new AppError('not_found', say`There is no such finished run.`)
  const calls = await reader
    .selectFrom('tool_call')
    .select(['module', 'tool', 'title', 'arguments', 'arguments_sealed', 'status', 'targets'])
    .where('run_id', '=', run_id)
    .orderBy('step')
    .orderBy('part_index')
    .execute()
  // What holds a secret is masked as it is stored, and would not do the same again.
  const done = calls.filter(({ status, arguments_sealed }) => status === 'done' && arguments_sealed === null)
  const usable = done.filter(({ module, tool }) => tools.find(module, tool) !== undefined)
  if (usable.length === 0) throw new AppError('bad_procedure', say`The run has no call that could become a step.`)
  if (usable.length > PROCEDURE_LIMITS.steps)
    throw new AppError('bad_procedure', say`A procedure has at most ${PROCEDURE_LIMITS.steps} steps.`)

  const named = new Set<string>()
  const local = hosts.known().find((host) => host.local)?.name
  const steps = usable.map(({ module, tool, title, ...call }): DraftStep => {
    const found = tools.find(module, tool)!
    const given = JSON.parse(call.arguments) as Record<string, unknown>
    const note = cut(visible(tools.wording(module, language).text(title)), PROCEDURE_LIMITS.note).trim()
    if (!worksOnMachines(found)) return { module, tool, note, arguments: given, confirm: false }
    const stored = call.targets === null ? [] : (JSON.parse(call.targets) as { readonly name: string }[])
    for (const name of stored.length > 0 ? stored.map((one) => one.name) : local === undefined ? [] : [local])
      named.add(name)
    return {
      module,
      tool,
      note,
      arguments: { ...given, [HOST_ARGUMENT]: { [PARAM_KEY]: MACHINE } },
      confirm: found.effect === 'destructive',
    }
  })
  const machine: Param[] =
    named.size === 0
      ? []
      : [{ name: MACHINE, title: say`Machine`.in(language), test: { hosts: [...named].slice(0, 50) } }]
  const name = cut(visible(run.title), PROCEDURE_LIMITS.name).trim()
  return {
    name: name === '' ? say`New procedure`.in(language) : name,
    description: '',
    params: machine,
    steps,
  }
}

const ENDED = new Set(['done', 'failed', 'cancelled', 'interrupted'])
