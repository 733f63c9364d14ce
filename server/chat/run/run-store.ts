import type { Notice } from '../../../contract/chat.ts'
import type { Database, Reader, Trx } from '../../db/database.ts'
import type { MessageTable, RunTable, ToolCallTable } from '../../db/chat-tables.ts'
import type { Activity, NewEvent } from '../history/activity.ts'
import { DRIVEN } from '../history/active-runs.ts'
import type { LeaseOwner } from './lease-owner.ts'
import { addParts, noticePart } from '../history/parts.ts'
import { hasEnded, isFinished, next, type RunEvent, type RunState } from './run-state.ts'
import { indexLeftOver } from '../history/searchable.ts'

/** The driver was away too long and another one has taken the run. Whatever it still meant to write is void. */
export class LostLease extends Error {
  override readonly name = 'LostLease'
}

export interface StoredRun {
  readonly row: RunTable
  readonly state: RunState
  /** The full rows of `state.calls`, in the order in which the model requested them. */
  readonly calls: readonly ToolCallTable[]
}

/** A run with the epoch under which its driver took it; all writes of the driver are made under it. */
export interface DrivenRun {
  readonly run: StoredRun
  readonly epoch: number
}

export interface Change {
  readonly event: RunEvent
  /** The lease under which the driver acts; omitted for a person's decisions. */
  readonly epoch?: number
  readonly fields?: Partial<Pick<RunTable, 'error_code' | 'error_detail' | 'warning'>>
  /** Result of the call that has ended. */
  readonly result_text?: string
  /** Added to the answer in the same transaction. */
  readonly notice?: Notice
}

export const LEASE = 30_000

/**
 * Runs in the database: every step applies an event through `run-state`, together with its consequences, in one
 * transaction.
 */
export class RunStore {
  readonly #db: Database
  readonly #activity: Activity

  constructor(db: Database, activity: Activity) {
    this.#db = db
    this.#activity = activity
  }

  async load(reader: Reader, run_id: string): Promise<StoredRun> {
    const row = await reader.selectFrom('run').selectAll().where('run_id', '=', run_id).executeTakeFirstOrThrow()
    const calls = await reader
      .selectFrom('tool_call')
      .selectAll()
      .where('run_id', '=', run_id)
      .where('step', '=', row.step)
      .orderBy('part_index')
      .execute()
    return {
      row,
      calls,
      state: {
        status: row.status,
        step: row.step,
        calls: calls.map(({ tool_call_id, status }) => ({ tool_call_id, status })),
      },
    }
  }

  /**
   * Runs `work` in one transaction under the driver's lease. @throws {LostLease} when another driver has taken the run.
   */
  write<T>(driven: DrivenRun, work: (trx: Trx) => Promise<T>): Promise<T> {
    return this.#db.transaction(async (trx) => {
      await this.hold(trx, driven)
      return work(trx)
    })
  }

  /** Locks the run until the transaction ends; must precede its other locks. @throws {LostLease} */
  async hold(trx: Trx, { run: { row }, epoch }: DrivenRun): Promise<void> {
    await this.#db.dialect.serialize(trx, `run:${row.run_id}`)
    const now = await trx.selectFrom('run').select('epoch').where('run_id', '=', row.run_id).executeTakeFirst()
    if (now?.epoch !== epoch) throw new LostLease()
  }

  /**
   * Applies an event and returns the state after it. `more` adds its own rows in the same transaction and returns
   * further events for the activity.
   * @throws {LostLease} when another driver has taken the run. @throws {ImpossibleEvent}
   */
  async apply(
    trx: Trx,
    run_id: string,
    change: Change,
    more?: (run: StoredRun, after: RunState) => Promise<readonly NewEvent[]>,
  ): Promise<RunState> {
    // Two calls that end at the same moment must each see that the other has ended.
    await this.#db.dialect.serialize(trx, `run:${run_id}`)
    const run = await this.load(trx, run_id)
    if (change.epoch !== undefined && run.row.epoch !== change.epoch) throw new LostLease()
    const after = next(run.state, change.event)
    const now = Date.now()
    const finished = isFinished(after.status)
    const about = { conversation_id: run.row.conversation_id, run_id }
    const events: NewEvent[] = []

    for (const call of after.calls) {
      const before = run.calls.find((candidate) => candidate.tool_call_id === call.tool_call_id)
      if (!before || before.status === call.status) continue
      const ended = hasEnded(call.status)
      // No one is waiting for its questions any more.
      if (before.status === 'running') events.push(...(await this.#closeCards(trx, run.row, call.tool_call_id)))
      await trx
        .updateTable('tool_call')
        .set({
          status: call.status,
          ...(call.status === 'running' ? { started_at: now } : {}),
          ...(ended ? { ended_at: now, result_text: change.result_text ?? null } : {}),
        })
        .where('tool_call_id', '=', call.tool_call_id)
        .execute()
      if (call.status === 'running' || ended) {
        events.push({
          ...about,
          type: ended ? 'tool.finished' : 'tool.started',
          data: {
            message_id: before.message_id,
            tool_call_id: call.tool_call_id,
            module: before.module,
            tool: before.tool,
            status: call.status,
          },
        })
      }
    }
    if (change.notice) await addParts(trx, run.row.output_message_id, after.step, [noticePart(change.notice)])
    if (finished && after.status !== 'done') await indexLeftOver(trx, run.row.output_message_id)
    await trx
      .updateTable('run')
      .set({
        status: after.status,
        step: after.step,
        ...change.fields,
        ...(finished ? { ended_at: now } : {}),
        // A run at rest has no driver.
        ...(finished || after.status === 'waiting_approval' ? { lease_owner: null, lease_expires_at: null } : {}),
      })
      .where('run_id', '=', run_id)
      .execute()
    if (after.status !== run.row.status) {
      await trx
        .updateTable('message')
        .set({ status: messageStatus(after.status) })
        .where('message_id', '=', run.row.output_message_id)
        .execute()
    }
    if (finished) {
      events.push(...(await this.#closeCards(trx, run.row, null)))
      await trx
        .updateTable('conversation')
        .set({ updated_at: now })
        .where('conversation_id', '=', run.row.conversation_id)
        .execute()
    }
    if (more) events.push(...(await more(run, after)))
    const told = statusEvent(run.row.status, after)
    if (told) {
      events.push({
        ...about,
        type: told,
        data: {
          message_id: run.row.output_message_id,
          ...(change.fields?.error_code ? { code: change.fields.error_code } : {}),
        },
      })
    }
    await this.#activity.append(trx, run.row.user_id, events)
    return after
  }

  /** Takes over the run if it has no driver; returns the epoch to write under, or null if it has one. */
  async claim(run_id: string, owner: LeaseOwner): Promise<number | null> {
    return this.#db.transaction(async (trx) => {
      await this.#db.dialect.serialize(trx, `run:${run_id}`)
      const row = await trx.selectFrom('run').selectAll().where('run_id', '=', run_id).executeTakeFirst()
      if (!row || (row.status !== 'thinking' && row.status !== 'acting')) return null
      if (!isFree(row, owner)) return null
      const epoch = row.epoch + 1
      await trx
        .updateTable('run')
        .set({ epoch, lease_owner: owner.name, lease_expires_at: Date.now() + LEASE })
        .where('run_id', '=', run_id)
        .execute()
      return epoch
    })
  }

  async renew(owner: string, run_ids: readonly string[]): Promise<void> {
    if (run_ids.length === 0) return
    await this.#db.write
      .updateTable('run')
      .set({ lease_expires_at: Date.now() + LEASE })
      .where('lease_owner', '=', owner)
      .where('run_id', 'in', run_ids)
      .execute()
  }

  /** Runs that should have a driver, with the one that claims to be it. */
  driven(): Promise<{ run_id: string; lease_owner: string | null; lease_expires_at: number | null }[]> {
    return this.#db.read
      .selectFrom('run')
      .select(['run_id', 'lease_owner', 'lease_expires_at'])
      .where(DRIVEN)
      .orderBy('run_id')
      .execute()
  }

  /** Closes the open cards of one call of the run, or of all calls (null). */
  async #closeCards(trx: Trx, run: RunTable, tool_call_id: string | null): Promise<NewEvent[]> {
    const closed = await trx
      .updateTable('approval')
      .set({ status: 'cancelled', decided_at: Date.now() })
      .where('run_id', '=', run.run_id)
      .where('status', '=', 'pending')
      .$if(tool_call_id !== null, (update) => update.where('tool_call_id', '=', tool_call_id))
      .returning('approval_id')
      .execute()
    for (const { approval_id } of closed) this.#db.wake(trx, approval_id)
    return closed.map(({ approval_id }) => ({
      type: 'approval.decided',
      conversation_id: run.conversation_id,
      run_id: run.run_id,
      data: { approval_id, status: 'cancelled', message_id: run.output_message_id },
    }))
  }
}

/** True when the owner may take the lease: it is free, expired, held by an owner that is gone, or the owner's own. */
export function isFree(lease: Pick<RunTable, 'lease_owner' | 'lease_expires_at'>, owner: LeaseOwner): boolean {
  const { lease_owner: holder, lease_expires_at } = lease
  return holder === null || holder === owner.name || lease_expires_at! < Date.now() || owner.isGone(holder)
}

function messageStatus(status: RunTable['status']): MessageTable['status'] {
  if (status === 'thinking' || status === 'acting') return 'streaming'
  return status === 'done' ? 'complete' : status
}

function statusEvent(before: RunTable['status'], after: RunState): NewEvent['type'] | null {
  if (after.status === before) return null
  switch (after.status) {
    case 'waiting_approval':
      return 'run.waiting'
    case 'done':
      return 'run.completed'
    case 'failed':
    case 'cancelled':
    case 'interrupted':
      return `run.${after.status}`
    default:
      return null
  }
}
