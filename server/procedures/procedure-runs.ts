import type { ProcedureRun } from '../../contract/procedure-values.ts'
import type { Reader } from '../db/database.ts'
import { iso, isoOrNull } from '../kernel/time.ts'

/** The runs of a procedure, newest first: whose, when and how they ended; with what, only of the reader's own. */
export async function runsOf(
  reader: Reader,
  user_id: string,
  procedure_id: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<{ items: ProcedureRun[]; next_cursor: string | null }> {
  let select = reader
    .selectFrom('run')
    .innerJoin('user', 'user.user_id', 'run.user_id')
    .select(['run.run_id', 'run.conversation_id', 'run.user_id', 'user.display_name', 'run.status'])
    .select(['run.procedure_version', 'run.procedure_values', 'run.created_at', 'run.ended_at'])
    .select((row) => {
      const calls = (status: 'done' | 'unknown') =>
        row
          .selectFrom('tool_call')
          .select((call) => call.fn.countAll<number | string>().as('calls'))
          .whereRef('tool_call.run_id', '=', 'run.run_id')
          .where('tool_call.status', '=', status)
      return [calls('done').as('steps_done'), calls('unknown').as('steps_unknown')]
    })
    .where('run.procedure_id', '=', procedure_id)
  if (cursor !== undefined) select = select.where('run.run_id', '<', cursor)
  const rows = await select
    .orderBy('run.run_id', 'desc')
    .limit(limit + 1)
    .execute()
  const items = rows.slice(0, limit).map((row): ProcedureRun => ({
    run_id: row.run_id,
    version: row.procedure_version ?? 0,
    status: row.status,
    person: { user_id: row.user_id, display_name: row.display_name },
    own:
      row.user_id === user_id
        ? {
            conversation_id: row.conversation_id,
            values: JSON.parse(row.procedure_values ?? '{}') as Record<string, unknown>,
          }
        : null,
    steps_done: Number(row.steps_done ?? 0),
    // One call a step, and none comes after one that is not done.
    unknown_step: Number(row.steps_unknown ?? 0) === 0 ? null : Number(row.steps_done ?? 0) + 1,
    started_at: iso(row.created_at),
    ended_at: isoOrNull(row.ended_at),
  }))
  return { items, next_cursor: rows.length > limit ? items.at(-1)!.run_id : null }
}
