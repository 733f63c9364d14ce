import type { Notice } from '../../../contract/chat.ts'
import type { Untrusted } from '../../../contract/grants.ts'
import type { Database, Reader, Trx } from '../../db/database.ts'
import type { RunTable, ToolCallTable } from '../../db/rows/chat-tables.ts'
import type { SearchableLine } from '../../db/search-segments.ts'
import type { Activity, NewEvent } from '../history/activity.ts'
import type { AuditCall, CallEnd } from './audit-call.ts'
import { addParts, noticePart } from '../history/parts.ts'
import { moduleKey } from '../../db/running-calls.ts'
import {
  CALLS,
  CHANGE_CALL,
  CHANGE_MESSAGE,
  CLOSE_CARDS,
  CLOSE_CARDS_OF_CALL,
  GO_ON,
  HELD_RUN,
  LOST_ON_HOSTS,
  REST,
  RUN,
  RUN_TO_START,
  TOUCH,
} from './run-statements.ts'
import { untrustedOf } from '../history/untrusted.ts'
import { othersTold } from './others-told.ts'
import { holdQueued } from '../history/queued-rows.ts'
import { hasEnded, isFinished, next, type RunEvent, type RunState } from './run-state.ts'
import { messageStatus, statusEvent } from './run-status.ts'
import { indexLeftOver, indexParts, indexPartsOf } from '../history/searchable.ts'

/** The driver was away too long and another one has taken the run. Whatever it still meant to write is void. */
export class LostLease extends Error {
  override readonly name = 'LostLease'
}

export interface StoredRun {
  readonly row: RunTable
  readonly state: RunState
  /** The full rows of `state.calls`, in the order in which the model requested them. */
  readonly calls: readonly ToolCallTable[]
  /** How many messages are queued in its conversation, as of its end; 0 before that. */
  readonly queued: number
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
  readonly fields?: Partial<
    Pick<
      RunTable,
      'error_code' | 'error_detail' | 'warning' | 'engine' | 'input_tokens' | 'output_tokens' | 'cost_micros'
    >
  >
  /** Rows of the calls that the event begins with, which the transaction has stored. */
  readonly calls?: readonly ToolCallTable[]
  /** What the transaction has added to the answer, to be made searchable. */
  readonly lines?: readonly SearchableLine[]
  /** Result of the call that has ended. */
  readonly result_text?: string
  /** What its entry in the audit log needs besides. */
  readonly ended?: CallEnd
  /** Added to the answer in the same transaction. */
  readonly notice?: Notice
}

/** A run that the transaction has locked, with the index of the next part of its answer. */
export interface HeldRun extends StoredRun {
  readonly next_part: number
  /** What its conversation has read that others may have written. */
  readonly untrusted: Untrusted | null
}

/**
 * Runs in the database: every step applies an event through `run-state`, together with its consequences, in one
 * transaction.
 */
export class RunStore {
  readonly #db: Database
  readonly #activity: Activity
  readonly #auditCall: AuditCall

  constructor(db: Database, activity: Activity, auditCall: AuditCall) {
    this.#db = db
    this.#activity = activity
    this.#auditCall = auditCall
  }

  async load(reader: Reader, run_id: string): Promise<StoredRun> {
    const row = await RUN.first(reader, { run_id })
    if (!row) throw new Error(`There is no run ${run_id}.`)
    // Calls belong to the step that asked for them, and before the first there is none.
    return toStored(row, row.step === 0 ? [] : await CALLS.all(reader, { run_id, step: row.step }))
  }

  /**
   * Runs `work` in one transaction under the driver's lease. @throws {LostLease} when another driver has taken the run.
   */
  write<T>(driven: DrivenRun, work: (trx: Trx, held: HeldRun) => Promise<T>): Promise<T> {
    return this.#db.transaction(async (trx) => work(trx, await this.hold(trx, driven)))
  }

  /**
   * Locks the run until the transaction ends; must precede its other locks. Returns it as it is now, with the calls that
   * are known. @throws {LostLease}
   */
  async hold(trx: Trx, { run, epoch }: DrivenRun): Promise<HeldRun> {
    const { run_id } = run.row
    await this.#db.dialect.serialize(trx, `run:${run_id}`)
    const now = await HELD_RUN.first(trx, { run_id })
    if (now?.epoch !== epoch) throw new LostLease()
    const { next_part, untrusted_at, untrusted_by, ...row } = now
    const untrusted = untrustedOf({ untrusted_at, untrusted_by })
    return { ...toStored(row, run.calls), next_part: Number(next_part), untrusted }
  }

  /**
   * Applies an event and returns the run after it. `more` adds its own rows in the same transaction and returns further
   * events for the activity.
   * @throws {LostLease} when another driver has taken the run. @throws {ImpossibleEvent}
   */
  async apply(
    trx: Trx,
    run_id: string,
    change: Change,
    more?: (run: StoredRun, after: RunState) => Promise<readonly NewEvent[]>,
  ): Promise<StoredRun> {
    // Two calls that end at the same moment must each see that the other has ended.
    await this.#db.dialect.serialize(trx, `run:${run_id}`)
    const run = await this.load(trx, run_id)
    if (change.epoch !== undefined && run.row.epoch !== change.epoch) throw new LostLease()
    return this.applyTo(trx, run, change, more)
  }

  /**
   * Marks a call as started, unless anything has changed since `revision` that it was judged by, whichever process has
   * changed it: then nothing is written, and it must be judged anew. Resolves with whether it has started.
   * @throws {LostLease}
   */
  async start(
    trx: Trx,
    { run, epoch }: DrivenRun,
    {
      tool_call_id,
      module,
      revision,
    }: { readonly tool_call_id: string; readonly module: string; readonly revision: number },
  ): Promise<boolean> {
    const { run_id } = run.row
    await this.#db.dialect.serialize(trx, `run:${run_id}`)
    // What is being changed now is read afterwards; what is changed later waits and finds the call.
    await this.#db.dialect.share(trx, moduleKey(module))
    const found = await RUN_TO_START.first(trx, { run_id })
    if (found?.epoch !== epoch) throw new LostLease()
    const { revision: now, ...row } = found
    if (Number(now) !== revision) return false
    const calls = await CALLS.all(trx, { run_id, step: row.step })
    await this.applyTo(trx, toStored(row, calls), { event: { type: 'call_started', tool_call_id } })
    return true
  }

  /** The same, for a run that the transaction has locked, and whose calls have not changed since they were read. */
  async applyTo(
    trx: Trx,
    run: StoredRun,
    change: Omit<Change, 'epoch'>,
    more?: (run: StoredRun, after: RunState) => Promise<readonly NewEvent[]>,
  ): Promise<StoredRun> {
    const { run_id, conversation_id, user_id, output_message_id } = run.row
    const after = next(run.state, change.event)
    const now = Date.now()
    const finished = isFinished(after.status)
    const about = { conversation_id, run_id }
    const events: NewEvent[] = []
    const calls: ToolCallTable[] = [...(change.calls ?? [])]
    const performed: ToolCallTable[] = []
    let queued = 0

    for (const call of after.calls) {
      const before = run.calls.find((candidate) => candidate.tool_call_id === call.tool_call_id)
      if (!before) continue
      if (before.status === call.status) {
        calls.push(before)
        continue
      }
      const ended = hasEnded(call.status)
      // No one is waiting for its questions any more.
      if (before.status === 'running') events.push(...(await this.#closeCards(trx, run.row, call.tool_call_id)))
      const changed: ToolCallTable = {
        ...before,
        status: call.status,
        ...(call.status === 'running' ? { started_at: now } : {}),
        ...(ended ? { ended_at: now, result_text: change.result_text ?? null } : {}),
      }
      await CHANGE_CALL.run(trx, changed)
      calls.push(changed)
      if (before.status === 'running' && ended) performed.push(changed)
      if (before.status === 'running' && call.status === 'unknown')
        await LOST_ON_HOSTS.run(trx, { tool_call_id: call.tool_call_id, now })
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
    const answer = { conversation_id, message_id: output_message_id }
    if (change.notice) await addParts(trx, answer, after.step, [noticePart(change.notice)])
    if (finished && after.status !== 'done') await indexLeftOver(trx, output_message_id)
    const rests = finished || after.status === 'waiting_approval'
    const row: RunTable = {
      ...run.row,
      status: after.status,
      step: after.step,
      ...change.fields,
      ...(finished ? { ended_at: now } : {}),
      // A run at rest has no driver.
      ...(rests ? { lease_owner: null, lease_expires_at: null } : {}),
    }
    await (rests ? REST : GO_ON).run(trx, row)
    const status = messageStatus(after.status)
    if (status !== messageStatus(run.row.status))
      await CHANGE_MESSAGE.run(trx, { message_id: output_message_id, status })
    // A run that is done had no call left that could wait for anything.
    if (finished && after.status !== 'done') events.push(...(await this.#closeCards(trx, run.row, null)))
    if (finished) {
      const { title, queued: inQueue } = (await TOUCH.first(trx, { conversation_id, now }))!
      await indexPartsOf(trx, { conversation_id, user_id, title }, change.lines ?? [])
      queued = inQueue
      // What was to be said after this answer may no longer fit.
      if (queued > 0 && after.status !== 'done') events.push(...(await holdQueued(trx, conversation_id)))
    } else await indexParts(trx, conversation_id, change.lines ?? [])
    if (more) events.push(...(await more(run, after)))
    for (const call of performed) await this.#auditCall(trx, run.row, call, change.ended)
    const told = statusEvent(run.row.status, after)
    if (told) {
      events.push({
        ...about,
        type: told,
        data: {
          message_id: output_message_id,
          ...(change.fields?.error_code ? { code: change.fields.error_code } : {}),
        },
      })
    }
    await this.#activity.append(trx, user_id, events)
    return { row, state: after, calls, queued }
  }

  /** Closes the open cards of one call of the run, or of all calls (null). */
  async #closeCards(trx: Trx, run: RunTable, tool_call_id: string | null): Promise<NewEvent[]> {
    const { run_id } = run
    const now = Date.now()
    const closed =
      tool_call_id === null
        ? await CLOSE_CARDS.all(trx, { run_id, now })
        : await CLOSE_CARDS_OF_CALL.all(trx, { run_id, now, tool_call_id })
    const events: NewEvent[] = []
    for (const card of closed) {
      const { approval_id } = card
      this.#db.wake(trx, approval_id)
      events.push({
        type: 'approval.decided',
        conversation_id: run.conversation_id,
        run_id: run.run_id,
        data: { approval_id, status: 'cancelled', message_id: run.output_message_id },
        ...(await othersTold(trx, card)),
      })
    }
    return events
  }
}

function toStored(row: RunTable, calls: readonly ToolCallTable[]): StoredRun {
  const { status, step } = row
  const states = calls.map((call) => ({ tool_call_id: call.tool_call_id, status: call.status }))
  return { row, calls, state: { status, step, calls: states }, queued: 0 }
}
