import type { Draft, Procedure, ProcedureDetail } from '../../contract/procedure-values.ts'
import { PROCEDURE_LIMITS } from '../../contract/procedure-limits.ts'
import type { Caller } from '../../contract/route.ts'
import type { Trx } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { newId } from '../kernel/id.ts'
import { say } from '../kernel/sentence.ts'
import { cut, fold } from '../kernel/text/plain-text.ts'
import { checkDraft } from './check-draft.ts'
import { stepProblems } from './check-steps.ts'
import { contentColumns, contentOf, toDraft, withDefinitions } from './content.ts'
import { allProcedures, noProcedure, peopleOf, theProcedure, toProcedure, toVersion } from './procedure-rows.ts'
import type { ProceduresContext } from './procedures-context.ts'
import { isOpen, mayOf, readingOf, seen } from './reading.ts'
import type { StoredProcedure } from './stored-procedure.ts'
import { machinesOf } from './values.ts'

/** Procedures and their drafts. What becomes of a draft is `Reviews`. */
export class Procedures {
  readonly #context: ProceduresContext

  constructor(context: ProceduresContext) {
    this.#context = context
  }

  async list(caller: Caller): Promise<Procedure[]> {
    const { db } = this.#context
    const reading = await readingOf(this.#context, caller)
    const all = (await allProcedures(db.read)).flatMap((of) => {
      const versions = seen(of, reading)
      return versions.length === 0 ? [] : [{ of, versions }]
    })
    const people = await peopleOf(
      db.read,
      all.map(({ of }) => of),
    )
    return all.map(({ of, versions }) => ({
      ...toProcedure({ row: of.row, versions }, reading, people),
      may: mayOf(of, reading),
    }))
  }

  /** @throws {AppError} not_found */
  async read(caller: Caller, procedure_id: string): Promise<ProcedureDetail> {
    const { db, hosts } = this.#context
    const reading = await readingOf(this.#context, caller)
    const of = await theProcedure(db.read, procedure_id)
    const versions = seen(of, reading)
    const [newest] = versions
    if (newest === undefined) throw noProcedure()
    const people = await peopleOf(db.read, [of])
    const { language } = caller
    const problems = isOpen(newest) ? stepProblems(contentOf(newest), this.#context) : []
    const known = hosts.known().filter((host) => reading.policy.mayUse(host))
    const params = versions.find(({ version }) => version === of.row.current_version) ?? newest
    const machines = contentOf(params).params.flatMap(({ name, test }) =>
      'hosts' in test ? [[name, machinesOf(test.hosts, known).map((host) => host.name)] as const] : [],
    )
    return {
      procedure: { ...toProcedure({ row: of.row, versions }, reading, people), may: mayOf(of, reading) },
      versions: versions.map((row) => toVersion(row, people)),
      problems: problems.map(({ path, message }) => ({ path, message: message.in(language) })),
      machines: Object.fromEntries(machines),
    }
  }

  /**
   * Stores a first draft. `rename`: a name that is taken gets a number.
   * @throws {AppError} bad_procedure, procedure_exists, too_many_procedures
   */
  async create(
    caller: Caller,
    draft: Draft,
    { rename = false, from_run_id = null }: { readonly rename?: boolean; readonly from_run_id?: string | null } = {},
  ): Promise<string> {
    const { tools, judge, audit } = this.#context
    checkDraft(draft, judge)
    const procedure_id = newId('procedure')
    await this.#change(procedure_id, async (trx) => {
      const taken = new Set(
        (await trx.selectFrom('procedure').select('name_folded').execute()).map((row) => row.name_folded),
      )
      if (taken.size >= PROCEDURE_LIMITS.procedures)
        throw new AppError('too_many_procedures', say`There may be at most ${PROCEDURE_LIMITS.procedures} procedures.`)
      const name = rename ? freeName(draft.name, taken) : draft.name
      if (taken.has(fold(name))) throw nameTaken()
      const now = Date.now()
      await trx
        .insertInto('procedure')
        .values({
          procedure_id,
          owner_id: caller.user_id,
          name,
          name_folded: fold(name),
          current_version: null,
          created_at: now,
          updated_at: now,
        })
        .execute()
      await insertDraft(
        trx,
        { procedure_id, version: 1, author_id: caller.user_id, from_run_id },
        {
          ...withDefinitions({ ...draft, name }, tools),
        },
      )
      await audit.record(trx, {
        actor: caller,
        action: 'procedure.created',
        target: procedure_id,
        outcome: 'ok',
        details: { name, ...(from_run_id !== null && { from_run_id }) },
      })
    })
    return procedure_id
  }

  /** Begins a new version with what the newest says. @throws {AppError} not_found, procedure_changed */
  async newDraft(caller: Caller, procedure_id: string): Promise<void> {
    const reading = await readingOf(this.#context, caller)
    await this.#change(procedure_id, async (trx) => {
      const of = await theProcedure(trx, procedure_id)
      const [newest] = seen(of, reading)
      if (newest === undefined) throw noProcedure()
      if (of.versions.some(isOpen)) throw changed(say`A version is being written or reviewed already.`)
      if (!mayOf(of, reading).edit) throw noProcedure()
      const version = of.versions[0]!.version + 1
      const content = withDefinitions(toDraft(contentOf(newest)), this.#context.tools)
      await insertDraft(trx, { procedure_id, version, author_id: caller.user_id, from_run_id: null }, content)
      await this.#record(trx, caller, 'procedure.drafted', of, { version })
    })
  }

  /** @throws {AppError} not_found, bad_procedure, procedure_exists, procedure_changed */
  async saveDraft(caller: Caller, procedure_id: string, seenHash: string, draft: Draft): Promise<void> {
    const { tools, judge } = this.#context
    checkDraft(draft, judge)
    await this.#change(procedure_id, async (trx) => {
      const of = await theProcedure(trx, procedure_id)
      const { version } = ownDraft(of, caller)
      // Whoever was given a procedure by its name goes on knowing it by that.
      const reviewed = of.versions.some(({ state }) => state === 'reviewed' || state === 'withdrawn')
      const name = reviewed ? of.row.name : draft.name
      if (fold(name) !== of.row.name_folded && (await isTaken(trx, name))) throw nameTaken()
      const done = await trx
        .updateTable('procedure_version')
        .set({ ...contentColumns(withDefinitions({ ...draft, name }, tools)), updated_at: Date.now() })
        .where('procedure_id', '=', procedure_id)
        .where('version', '=', version)
        .where('state', '=', 'draft')
        .where('content_hash', '=', seenHash)
        .returning('version')
        .executeTakeFirst()
      if (done === undefined) throw changed(say`The draft was changed meanwhile, in another window perhaps.`)
      await trx
        .updateTable('procedure')
        .set({ name, name_folded: fold(name), updated_at: Date.now() })
        .where('procedure_id', '=', procedure_id)
        .execute()
      await this.#record(trx, caller, 'procedure.saved', of, { version, name })
    })
  }

  /** @throws {AppError} not_found, procedure_changed */
  async removeDraft(caller: Caller, procedure_id: string): Promise<void> {
    await this.#change(procedure_id, async (trx) => {
      const of = await theProcedure(trx, procedure_id)
      const { version } = ownDraft(of, caller)
      await trx
        .deleteFrom('procedure_version')
        .where('procedure_id', '=', procedure_id)
        .where('version', '=', version)
        .execute()
      if (of.versions.length === 1) await trx.deleteFrom('procedure').where('procedure_id', '=', procedure_id).execute()
      await this.#record(trx, caller, 'procedure.draft_removed', of, { version })
    })
  }

  /** Nothing else changes the procedure, or takes its name, meanwhile. */
  async #change(procedure_id: string, work: (trx: Trx) => Promise<void>): Promise<void> {
    const { db, onChanged } = this.#context
    await db.transaction(async (trx) => {
      await db.dialect.serialize(trx, 'procedures')
      await work(trx)
      await onChanged(trx, procedure_id)
    })
  }

  #record(trx: Trx, actor: Caller, action: string, { row }: StoredProcedure, details: Record<string, unknown>) {
    return this.#context.audit.record(trx, {
      actor,
      action,
      target: row.procedure_id,
      outcome: 'ok',
      details: { name: row.name, ...details },
    })
  }
}

async function insertDraft(
  trx: Trx,
  of: { procedure_id: string; version: number; author_id: string; from_run_id: string | null },
  content: Parameters<typeof contentColumns>[0],
): Promise<void> {
  const now = Date.now()
  await trx
    .insertInto('procedure_version')
    .values({
      ...of,
      ...contentColumns(content),
      state: 'draft',
      reviewer_id: null,
      review_note: '',
      created_at: now,
      updated_at: now,
      reviewed_at: null,
    })
    .execute()
}

/** The draft that the caller writes. @throws {AppError} not_found, procedure_changed */
function ownDraft({ versions }: StoredProcedure, { user_id }: Caller) {
  const draft = versions.find((row) => isOpen(row) && row.author_id === user_id)
  if (draft === undefined) throw noProcedure()
  if (draft.state !== 'draft') throw changed(say`It waits for a review, and nobody changes it until that is over.`)
  return draft
}

async function isTaken(trx: Trx, name: string): Promise<boolean> {
  const row = await trx.selectFrom('procedure').select('name').where('name_folded', '=', fold(name)).executeTakeFirst()
  return row !== undefined
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let i = 1; ; i++) {
    const end = i === 1 ? '' : ` (${i})`
    const tried = `${cut(name, PROCEDURE_LIMITS.name - end.length).trimEnd()}${end}`
    if (!taken.has(fold(tried))) return tried
  }
}

function nameTaken(): AppError {
  return new AppError('procedure_exists', say`There is another procedure with this name.`, {
    errors: [{ path: 'name', message: say`There is another procedure with this name.` }],
  })
}

export function changed(why: ReturnType<typeof say>): AppError {
  return new AppError('procedure_changed', why)
}
