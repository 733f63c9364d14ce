import type { Caller } from '../../contract/route.ts'
import type { LiveRun } from '../../contract/runs-admin.ts'
import type { Reader } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { iso, isoOrNull } from '../kernel/time.ts'
import { ACTIVE } from './history/active-runs.ts'
import { cancelRuns } from './cancel-runs.ts'
import type { RunContext } from './run/run-context.ts'
import type { Runner } from './runner.ts'

const MOST = 500

/** How many runs are unfinished, across all users. */
export async function countLiveRuns(reader: Reader): Promise<number> {
  const row = await reader
    .selectFrom('run')
    .select((eb) => eb.fn.countAll<number | string>().as('runs'))
    .where(ACTIVE)
    .executeTakeFirstOrThrow()
  return Number(row.runs)
}

/** All users' unfinished runs, oldest first, without their contents. */
export async function liveRuns(reader: Reader): Promise<{ items: LiveRun[]; total: number }> {
  const rows = await reader
    .selectFrom('run')
    .innerJoin('user', 'user.user_id', 'run.user_id')
    .select([
      'run.run_id',
      'run.user_id',
      'user.username',
      'user.display_name',
      'run.status',
      'run.ai_mode',
      'run.model',
      'run.step',
      'run.input_tokens',
      'run.output_tokens',
      'run.cost_micros',
      'run.created_at',
      'run.cancel_requested_at',
    ])
    .where(ACTIVE)
    .orderBy('run.run_id')
    .limit(MOST)
    .execute()
  const calls =
    rows.length === 0
      ? []
      : await reader
          .selectFrom('tool_call')
          .select(['run_id', 'tool_call_id', 'module', 'tool', 'status', 'started_at'])
          .where(
            'run_id',
            'in',
            rows.map(({ run_id }) => run_id),
          )
          .where('status', 'in', ['pending', 'awaiting_approval', 'running'])
          .orderBy('tool_call_id')
          .execute()
  const items = rows.map(({ created_at, cancel_requested_at, step, ...run }) => ({
    ...run,
    steps: step,
    started_at: iso(created_at),
    stopping: cancel_requested_at !== null,
    calls: calls
      .filter((call) => call.run_id === run.run_id)
      .map(({ tool_call_id, module, tool, status, started_at }) => ({
        tool_call_id,
        module,
        tool,
        status,
        started_at: isoOrNull(started_at),
      })),
  }))
  return { items, total: rows.length < MOST ? rows.length : await countLiveRuns(reader) }
}

/** Stops any user's run, or all runs (null), as an administrator. @throws {AppError} not_found */
export async function stopLiveRuns(context: RunContext, runner: Runner, caller: Caller, run_id: string | null) {
  const { db, ports } = context
  const rows = await db.read
    .selectFrom('run')
    .select('run_id')
    .where(ACTIVE)
    .$if(run_id !== null, (query) => query.where('run_id', '=', run_id!))
    .execute()
  if (run_id !== null && rows.length === 0)
    throw new AppError('not_found', say`There is no such run, or it has ended already.`)
  // Recorded first, so that it is on record even if a tool takes its time to stop.
  await db.transaction((trx) =>
    ports.audit.record(trx, {
      actor: caller,
      action: run_id === null ? 'run.stopped_all' : 'run.stopped',
      target: run_id ?? 'all',
      outcome: 'ok',
      details: { runs: rows.length },
    }),
  )
  const ids = rows.map((row) => row.run_id)
  return { ok: true as const, ...(await cancelRuns(context, runner, ids)) }
}
