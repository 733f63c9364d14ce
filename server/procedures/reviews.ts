import type { Caller } from '../../contract/route.ts'
import type { ProcedureState } from '../../contract/procedure-limits.ts'
import type { Reader, Trx } from '../db/database.ts'
import type { ProcedureVersionTable } from '../db/rows/procedure-tables.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { stepProblems } from './check-steps.ts'
import { contentHash, contentOf } from './content.ts'
import { noProcedure, theProcedure } from './procedure-rows.ts'
import { changed } from './procedures.ts'
import type { ProceduresContext } from './procedures-context.ts'
import { mayOf, type Reading, readingOf, seen } from './reading.ts'
import { fillIn } from './references.ts'
import type { StoredProcedure } from './stored-procedure.ts'
import { sampleOf } from './values.ts'

/** The version that a person has seen. */
interface Seen {
  readonly version: number
  readonly content_hash: string
}

/** What becomes of a draft: submitted, reviewed by somebody else, withdrawn. Each is a compare-and-set. */
export class Reviews {
  readonly #context: ProceduresContext

  constructor(context: ProceduresContext) {
    this.#context = context
  }

  /** @throws {AppError} not_found, bad_procedure, procedure_changed */
  async submit(caller: Caller, procedure_id: string, seenVersion: Seen): Promise<void> {
    const roles = await this.#context.reviewingRoles()
    await this.#change(caller, procedure_id, async (trx, of, reading) => {
      const row = this.#theVersion(of, reading, seenVersion.version)
      if (row.author_id !== caller.user_id) throw noProcedure()
      this.#refuseProblems(row)
      await move(trx, row, seenVersion, { from: 'draft', to: 'in_review' })
      const { name } = of.row
      const notice = {
        event: 'review_wanted' as const,
        ref_id: procedure_id,
        name,
        path: `/procedures/${procedure_id}`,
      }
      const key = `${procedure_id} ${row.version} ${row.content_hash}`
      for (const role_id of roles) await this.#context.tellNotice(trx, { ...notice, to: { role_id }, key })
      return { action: 'procedure.submitted', details: seenVersion }
    })
  }

  /** @throws {AppError} not_found, bad_procedure, procedure_changed, own_procedure, reviewer_denied */
  async review(
    caller: Caller,
    procedure_id: string,
    { decision, note, ...seenVersion }: Seen & { readonly decision: 'approve' | 'reject'; readonly note: string },
  ): Promise<void> {
    await this.#change(caller, procedure_id, async (trx, of, reading) => {
      const row = this.#theVersion(of, reading, seenVersion.version)
      if (row.author_id === caller.user_id)
        throw new AppError('own_procedure', say`Somebody else than its author must review it.`)
      if (!reading.reviews) throw noProcedure()
      const approve = decision === 'approve'
      if (approve) {
        this.#refuseProblems(row)
        this.#refuseDenied(row, reading)
      }
      await move(trx, row, seenVersion, {
        from: 'in_review',
        to: approve ? 'reviewed' : 'rejected',
        set: { reviewer_id: caller.user_id, review_note: note, reviewed_at: Date.now() },
      })
      const current_version = approve ? row.version : of.row.current_version
      await trx.updateTable('procedure').set({ current_version }).where('procedure_id', '=', procedure_id).execute()
      const action = approve ? 'procedure.approved' : 'procedure.rejected'
      return { action, details: { ...seenVersion, ...(note !== '' && { note }) } }
    })
  }

  /** Nothing of a withdrawn version runs any more, not even the next step of a run. @throws {AppError} not_found, procedure_changed */
  async withdraw(caller: Caller, procedure_id: string, version: number, note: string): Promise<void> {
    await this.#change(caller, procedure_id, async (trx, of, reading) => {
      const row = this.#theVersion(of, reading, version)
      const isAuthor = row.author_id === caller.user_id
      if (row.state === 'in_review') {
        if (!isAuthor) throw noProcedure()
        await move(trx, row, row, { from: 'in_review', to: 'draft' })
        return { action: 'procedure.taken_back', details: { version } }
      }
      if (!mayOf(of, reading).withdraw) throw noProcedure()
      await move(trx, row, row, { from: 'reviewed', to: 'withdrawn', set: { review_note: note } })
      const current_version = of.row.current_version === version ? null : of.row.current_version
      await trx.updateTable('procedure').set({ current_version }).where('procedure_id', '=', procedure_id).execute()
      // Calls that were judged by it are judged anew before they begin.
      this.#context.db.wake(trx, 'procedures')
      return { action: 'procedure.withdrawn', details: { version, ...(note !== '' && { note }) } }
    })
  }

  #theVersion(of: StoredProcedure, reading: Reading, version: number): ProcedureVersionTable {
    const row = seen(of, reading).find((one) => one.version === version)
    if (row === undefined) throw noProcedure()
    return row
  }

  /** @throws {AppError} bad_procedure, procedure_changed */
  #refuseProblems(row: ProcedureVersionTable): void {
    const content = contentOf(row)
    if (contentHash(content) !== row.content_hash) throw changed(say`This version is not what was saved.`)
    const errors = stepProblems(content, this.#context)
    if (errors.length > 0) throw new AppError('bad_procedure', errors[0]!.message, { errors })
  }

  /** A reviewer vouches for what they may do themselves, be it after asking. @throws {AppError} reviewer_denied */
  #refuseDenied(row: ProcedureVersionTable, { policy }: Reading): void {
    const { params, steps } = contentOf(row)
    const { judge, hosts, tools } = this.#context
    const known = { judge, hosts: hosts.known() }
    const samples = Object.fromEntries(params.map((param) => [param.name, sampleOf(param, known)]))
    for (const step of steps) {
      const tool = tools.find(step.module, step.tool)!
      const bare = tool.bare ?? tool
      const args = bare.fill(fillIn(withoutHost(step.arguments, tool !== bare), samples) as Record<string, unknown>)
      const denied =
        policy.list(tool).effect === 'deny' || policy.call(bare, args, { untrusted: false }).effect === 'deny'
      if (denied)
        throw new AppError(
          'reviewer_denied',
          say`Your role denies ${step.module}.${step.tool}, so you cannot vouch for it.`,
        )
    }
  }

  /** Nothing else changes the procedure meanwhile; what was done is recorded with it. */
  async #change(
    caller: Caller,
    procedure_id: string,
    work: (
      trx: Trx,
      of: StoredProcedure,
      reading: Reading,
    ) => Promise<{ readonly action: string; readonly details: object }>,
  ): Promise<void> {
    const { db, audit, onChanged } = this.#context
    const reading = await readingOf(this.#context, caller)
    await db.transaction(async (trx) => {
      await db.dialect.serialize(trx, 'procedures')
      const of = await theProcedure(trx, procedure_id)
      const { action, details } = await work(trx, of, reading)
      const target = procedure_id
      await audit.record(trx, {
        actor: caller,
        action,
        target,
        outcome: 'ok',
        details: { name: of.row.name, ...details },
      })
      await onChanged(trx, procedure_id)
    })
  }
}

/** Changes the state of exactly the content that was seen. @throws {AppError} procedure_changed */
async function move(
  trx: Trx,
  { procedure_id }: ProcedureVersionTable,
  { version, content_hash }: Seen,
  {
    from,
    to,
    set = {},
  }: {
    readonly from: ProcedureState
    readonly to: ProcedureState
    readonly set?: Partial<Pick<ProcedureVersionTable, 'reviewer_id' | 'review_note' | 'reviewed_at'>>
  },
): Promise<void> {
  const now = Date.now()
  const done = await trx
    .updateTable('procedure_version')
    .set({ ...set, state: to, updated_at: now })
    .where('procedure_id', '=', procedure_id)
    .where('version', '=', version)
    .where('state', '=', from)
    .where('content_hash', '=', content_hash)
    .returning('version')
    .executeTakeFirst()
  if (done === undefined) throw changed(say`It is not what you have seen any more. Look at it again.`)
  await trx.updateTable('procedure').set({ updated_at: now }).where('procedure_id', '=', procedure_id).execute()
}

function withoutHost(given: Record<string, unknown>, onMachines: boolean): Record<string, unknown> {
  const { host: _host, ...own } = given
  return onMachines ? own : given
}

/** Whether a version of it still waits for its review. */
export async function isInReview(reader: Reader, procedure_id: string): Promise<boolean> {
  const row = await reader
    .selectFrom('procedure_version')
    .select('version')
    .where('procedure_id', '=', procedure_id)
    .where('state', '=', 'in_review')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
