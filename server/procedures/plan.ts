import type { ProcedureOfRun, ProcedurePlan, PlannedStep } from '../chat/ports/procedures.ts'
import type { Reader } from '../db/database.ts'
import type { ProcedureVersionTable } from '../db/rows/procedure-tables.ts'
import { query } from '../db/statement.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { contentHash, contentOf } from './content.ts'
import type { ProceduresContext } from './procedures-context.ts'
import { fillIn } from './references.ts'
import { valuesProblem } from './values.ts'

const VERSION = query((db, is: { procedure_id: string; version: number }) =>
  db
    .selectFrom('procedure_version')
    .selectAll()
    .where('procedure_id', '=', is.procedure_id)
    .where('version', '=', is.version),
)

/** What a run of a procedure does, read anew before each of its steps. Fills chat's port. */
export async function planOf(
  reader: Reader,
  { procedure_id, version, values }: ProcedureOfRun,
  context: Pick<ProceduresContext, 'judge' | 'hosts'>,
): Promise<ProcedurePlan> {
  const row = await VERSION.first(reader, { procedure_id, version })
  const none = { procedure_id, name: '', content_hash: '', steps: [] }
  if (row === undefined) return { ...none, problem: say`There is no such version of the procedure any more.` }
  const content = contentOf(row)
  const { content_hash } = row
  const plan = { procedure_id, name: row.name, content_hash }
  const why = versionProblem(row)
  if (why !== null) return { ...plan, steps: [], problem: why }
  const wrong = valuesProblem(content.params, values, { judge: context.judge, hosts: context.hosts.known() })
  if (wrong !== null) return { ...plan, steps: [], problem: wrong.why }
  const steps = content.steps.map((step): PlannedStep => ({
    ...step,
    arguments: fillIn(step.arguments, values) as Record<string, unknown>,
  }))
  return { ...plan, steps, problem: null }
}

/** Why nothing of a version may run, whatever the values; null when it is what was reviewed. */
export function versionProblem(row: ProcedureVersionTable): Sentence | null {
  if (row.state === 'withdrawn') return say`This version was withdrawn.`
  if (row.state !== 'reviewed') return say`This version has not been reviewed.`
  return contentHash(contentOf(row)) === row.content_hash ? null : say`This version is not what was reviewed.`
}
