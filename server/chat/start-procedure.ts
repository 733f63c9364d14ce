import type { Caller } from '../../contract/route.ts'
import type { Reader } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { quoted, say } from '../kernel/sentence.ts'
import type { StartedProcedure } from './open-run.ts'
import type { ProcedureOfRun } from './ports/procedures.ts'
import { procedureOf } from './history/procedure-of-run.ts'
import type { RunContext } from './run/run-context.ts'

/**
 * What a run is to carry out, if its caller may have that carried out. Each step is judged by itself before it runs.
 * @throws {AppError} forbidden, procedure_not_reviewed
 */
export async function startProcedure(
  { ports, db }: Pick<RunContext, 'ports' | 'db'>,
  { user_id, scope, kind }: Caller,
  procedure: ProcedureOfRun,
): Promise<StartedProcedure> {
  const policy = await ports.policy.forUser(user_id, scope, kind)
  const verdict = policy?.procedure(procedure.procedure_id)
  if (verdict === undefined || verdict.effect === 'deny')
    throw new AppError(
      'forbidden',
      verdict === undefined ? say`You no longer have permission to run this.` : quoted(verdict.reason),
    )
  const plan = await ports.procedures.plan(db.read, procedure)
  if (plan.problem !== null) throw new AppError('procedure_not_reviewed', plan.problem)
  return { ...procedure, plan }
}

/** What the run before carried out: it is run again as it was. */
export async function procedureBefore(reader: Reader, run_id: string | null): Promise<ProcedureOfRun | null> {
  if (run_id === null) return null
  const row = await reader
    .selectFrom('run')
    .select(['procedure_id', 'procedure_version', 'procedure_values'])
    .where('run_id', '=', run_id)
    .executeTakeFirst()
  return row === undefined ? null : procedureOf(row)
}
