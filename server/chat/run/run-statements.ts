import type { Kysely } from 'kysely'
import type { MessageTable, RunTable, ToolCallTable } from '../../db/rows/chat-tables.ts'
import { REVISION } from '../../db/revisions.ts'
import type { Tables } from '../../db/schema.ts'
import { change, query } from '../../db/statement.ts'

/** The statements with which run-store reads and changes runs. */

export const RUN = query((db, is: { run_id: string }) =>
  db.selectFrom('run').selectAll().where('run_id', '=', is.run_id),
)

/** The same, with the revision of everything that its calls are judged by. */
export const RUN_TO_START = query((db, is: { run_id: string }) =>
  db.selectFrom('run').selectAll().select(REVISION.as('revision')).where('run_id', '=', is.run_id),
)

/** A run, the index of the next part of its answer, and the mark of its conversation. */
export const HELD_RUN = query((db, is: { run_id: string }) =>
  db
    .selectFrom('run')
    .innerJoin('conversation', 'conversation.conversation_id', 'run.conversation_id')
    .selectAll('run')
    .select(['untrusted_at', 'untrusted_by'])
    .select((run) =>
      run
        .selectFrom('message_part')
        .whereRef('message_part.message_id', '=', 'run.output_message_id')
        .select((part) => part.fn.coalesce(part(part.fn.max('part_index'), '+', 1), part.lit(0)).as('next'))
        .as('next_part'),
    )
    .where('run_id', '=', is.run_id),
)

/** The calls of one step, in the order in which the model requested them. */
export const CALLS = query((db, is: { run_id: string; step: number }) =>
  db
    .selectFrom('tool_call')
    .selectAll()
    .where('run_id', '=', is.run_id)
    .where('step', '=', is.step)
    .orderBy('part_index'),
)

export const CHANGE_CALL = change(
  (db, is: Pick<ToolCallTable, 'tool_call_id' | 'status' | 'started_at' | 'ended_at' | 'result_text'>) =>
    db
      .updateTable('tool_call')
      .set({ status: is.status, started_at: is.started_at, ended_at: is.ended_at, result_text: is.result_text })
      .where('tool_call_id', '=', is.tool_call_id),
)

/** Where a call was under way when nobody could tell any more. */
export const LOST_ON_HOSTS = change((db, is: { tool_call_id: string; now: number }) =>
  db
    .updateTable('tool_call_host')
    .set({ status: 'unknown', ended_at: is.now })
    .where('tool_call_id', '=', is.tool_call_id)
    .where('status', '=', 'running'),
)

type Progress = Pick<
  RunTable,
  | 'run_id'
  | 'status'
  | 'step'
  | 'warning'
  | 'error_code'
  | 'error_detail'
  | 'engine'
  | 'input_tokens'
  | 'output_tokens'
  | 'cost_micros'
>

function progress(db: Kysely<Tables>, is: Progress) {
  return db
    .updateTable('run')
    .set({
      status: is.status,
      step: is.step,
      warning: is.warning,
      error_code: is.error_code,
      error_detail: is.error_detail,
      engine: is.engine,
      input_tokens: is.input_tokens,
      output_tokens: is.output_tokens,
      cost_micros: is.cost_micros,
    })
    .where('run_id', '=', is.run_id)
}

/** Its driver keeps the lease, which is renewed without the lock of the run. */
export const GO_ON = change(progress)

export const REST = change((db, is: Progress & Pick<RunTable, 'ended_at'>) =>
  progress(db, is).set({ ended_at: is.ended_at, lease_owner: null, lease_expires_at: null }),
)

export const CHANGE_MESSAGE = change((db, is: Pick<MessageTable, 'message_id' | 'status'>) =>
  db.updateTable('message').set({ status: is.status }).where('message_id', '=', is.message_id),
)

/** Makes a conversation the newest; it stays locked. */
export const TOUCH = change((db, is: { conversation_id: string; now: number }) =>
  db
    .updateTable('conversation')
    .set({ updated_at: is.now })
    .where('conversation_id', '=', is.conversation_id)
    .returning(['title', 'queued']),
)

function closing(db: Kysely<Tables>, is: { run_id: string; now: number }) {
  return db
    .updateTable('approval')
    .set({ status: 'cancelled', decided_at: is.now })
    .where('run_id', '=', is.run_id)
    .where('status', '=', 'pending')
    .returning(['approval_id', 'user_id', 'needs'])
}

/** Closes all open cards of a run. */
export const CLOSE_CARDS = change(closing)

export const CLOSE_CARDS_OF_CALL = change((db, is: { run_id: string; now: number; tool_call_id: string }) =>
  closing(db, is).where('tool_call_id', '=', is.tool_call_id),
)
