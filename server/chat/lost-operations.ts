import type { Trx } from '../db/database.ts'
import { query } from '../db/statement.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { cut, storable, visible } from '../kernel/text/plain-text.ts'
import { auditArguments } from './run/audit-call.ts'
import { ownerLanguage } from './run/owner-language.ts'
import type { RunContext } from './run/run-context.ts'
import { readTargets } from './targets/call-targets.ts'
import { begunOn, statusOf } from './targets/how-far.ts'
import type { OperationEnd } from './ports/hosts.ts'

/** Milliseconds until a machine that could not tell is asked again, at first and at last. */
const FIRST_PAUSE = 15_000
const LONGEST_PAUSE = 15 * 60_000
/** So long machines keep their records. */
const KEPT = 30 * 86_400_000
/** Asked about in one look. */
const AT_ONCE = 200
/** Characters of what programs said. */
const SAID = 4000

type Lost = Awaited<ReturnType<typeof LOST.all>>[number]
type Known = Exclude<OperationEnd, { kind: 'later' }>

/**
 * Operations of machines whose end was not known when their calls ended, because the machine was silent or this service
 * was killed. The machine has a record of each, so it is asked until it answers; then the call says what became of it.
 */
export class LostOperations {
  readonly #context: RunContext
  readonly #later = new Map<string, { readonly at: number; readonly pause: number }>()

  constructor(context: RunContext) {
    this.#context = context
  }

  /** Asks the machines, all at once, for those that are due. */
  async ask(signal: AbortSignal): Promise<void> {
    const lost = await LOST.all(this.#context.db.read, { since: Date.now() - KEPT })
    const keys = new Set(lost.map(keyOf))
    for (const key of this.#later.keys()) if (!keys.has(key)) this.#later.delete(key)
    const due = lost.filter((row) => (this.#later.get(keyOf(row))?.at ?? 0) <= Date.now())
    const machines = Map.groupBy(due, ({ host_id }) => host_id)
    await Promise.all(
      [...machines.values()].map(async (rows) => {
        for (const row of rows) if (!signal.aborted) await this.#askOf(row, signal)
      }),
    )
  }

  async #askOf(row: Lost, signal: AbortSignal): Promise<void> {
    const { db, ports } = this.#context
    const end = await ports.operations.endOf(row.host_id, row.op_id!, signal)
    if (signal.aborted) return
    if (end.kind === 'later') {
      const pause = Math.min((this.#later.get(keyOf(row))?.pause ?? FIRST_PAUSE / 2) * 2, LONGEST_PAUSE)
      this.#later.set(keyOf(row), { at: Date.now() + pause, pause })
      return
    }
    const language = await ownerLanguage(db.read, row.user_id)
    await db.transaction((trx) => this.#store(trx, row, end, language))
  }

  async #store(trx: Trx, row: Lost, end: Known, language: string): Promise<void> {
    const { db, activity, ports } = this.#context
    const { tool_call_id, host_id, run_id, conversation_id, user_id } = row
    // Whoever has it may be frozen: the machine is asked again at the next look.
    if (!(await db.dialect.trySerialize(trx, `run:${run_id}`))) return
    const status =
      end.kind === 'never_known' ? ('unknown' as const) : end.kind === 'ended' && end.ok ? 'done' : 'failed'
    const output = end.kind === 'never_known' ? '' : ports.secrets.mask(row.module, end.output.trim())
    const text = `${saidOf(row.name, end).in(language)}${output === '' ? '' : `\n${output}`}`
    const shown = storable(cut(visible(cut(text, SAID)), SAID))
    const { numUpdatedRows } = await trx
      .updateTable('tool_call_host')
      // What nobody will ever know is not asked again.
      .set({ status, text: shown, ...(end.kind === 'never_known' && { op_id: null }) })
      .where('tool_call_id', '=', tool_call_id)
      .where('host_id', '=', host_id)
      .where('status', '=', 'unknown')
      .where('op_id', 'is not', null)
      .executeTakeFirst()
    // Another process was told before.
    if (numUpdatedRows === 0n) return
    const machines = readTargets(row.targets)?.length ?? 1
    const after = statusOf(await begunOn(trx, tool_call_id), machines)
    const { result_text } = await trx
      .selectFrom('tool_call')
      .select('result_text')
      .where('tool_call_id', '=', tool_call_id)
      .executeTakeFirstOrThrow()
    await trx
      .updateTable('tool_call')
      .set({ status: after, result_text: result_text === null ? shown : `${result_text}\n${shown}` })
      .where('tool_call_id', '=', tool_call_id)
      .execute()
    if (status !== 'unknown')
      await ports.audit.record(trx, {
        actor: null,
        action: 'tool.settled',
        target: tool_call_id,
        outcome: status === 'done' ? 'ok' : 'failed',
        details: {
          tool: `${row.module}.${row.tool}`,
          title: row.title,
          effect: row.effect,
          ...auditArguments(row.arguments, null, [{ host_id, name: row.name, status }]),
          run_id,
          conversation_id,
          status: after,
        },
      })
    const data = { message_id: row.message_id, tool_call_id, module: row.module, tool: row.tool, status: after }
    await activity.append(trx, user_id, [{ type: 'tool.finished', conversation_id, run_id, data }])
  }
}

function saidOf(name: string, end: Known): Sentence {
  switch (end.kind) {
    case 'ended':
      return end.ok
        ? say`Asked later, “${name}” says that it was done.`
        : say`Asked later, “${name}” says that it failed.`
    case 'not_done':
      return say`Asked later, “${name}” says that it was not done.`
    case 'never_known':
      return say`“${name}” cannot say any more how it ended: ${end.text}`
  }
}

function keyOf({ tool_call_id, host_id }: Pick<Lost, 'tool_call_id' | 'host_id'>): string {
  return `${tool_call_id} ${host_id}`
}

const LOST = query((db, is: { since: number }) =>
  db
    .selectFrom('tool_call_host')
    .innerJoin('tool_call', 'tool_call.tool_call_id', 'tool_call_host.tool_call_id')
    .innerJoin('run', 'run.run_id', 'tool_call.run_id')
    .select([
      'tool_call_host.tool_call_id',
      'tool_call_host.host_id',
      'tool_call_host.name',
      'op_id',
      'module',
      'tool',
      'title',
      'effect',
      'arguments',
      'targets',
      'tool_call.message_id',
      'tool_call.run_id',
      'run.user_id',
      'run.conversation_id',
    ])
    .where('tool_call_host.status', '=', 'unknown')
    .where('op_id', 'is not', null)
    // It may still be running on other machines.
    .where('tool_call.status', '=', 'unknown')
    .where('tool_call_host.ended_at', '>', is.since)
    .orderBy('tool_call_host.tool_call_id', 'desc')
    .limit(AT_ONCE),
)
