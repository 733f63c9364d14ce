import type { procedures as contract } from '../../contract/procedures.ts'
import type { Caller, Handlers } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { stepThatRefuses } from './check-steps.ts'
import { contentOf, toDraft } from './content.ts'
import { exampleNamed, examplesIn } from './examples.ts'
import { draftOfRun } from './from-run.ts'
import { noProcedure, theProcedure } from './procedure-rows.ts'
import { runsOf } from './procedure-runs.ts'
import { Procedures } from './procedures.ts'
import type { ProceduresContext } from './procedures-context.ts'
import { readingOf, seen } from './reading.ts'
import { Reviews } from './reviews.ts'
import { valuesProblem } from './values.ts'

/** The handlers of the routes under /api/procedures. */
export function procedureRoutes(context: ProceduresContext): Handlers<typeof contract> {
  const { db, judge, hosts, send } = context
  const procedures = new Procedures(context)
  const reviews = new Reviews(context)
  const saved = async (caller: Caller, procedure_id: string) => ({
    ok: true as const,
    ...(await procedures.read(caller, procedure_id)),
  })
  /** What the caller sees of it. @throws {AppError} not_found */
  const versionsOf = async (caller: Caller, procedure_id: string) => {
    const of = await theProcedure(db.read, procedure_id)
    const versions = seen(of, await readingOf(context, caller))
    if (versions.length === 0) throw noProcedure()
    return { of, versions }
  }

  return {
    list: async ({ caller }) => ({ items: await procedures.list(caller) }),
    create: async ({ caller, body }) => saved(caller, await procedures.create(caller, body)),
    fromRun: async ({ caller, params: { run_id } }) => {
      const { language, user_id } = caller
      const draft = await draftOfRun(db.read, user_id, run_id, { ...context, language })
      return saved(caller, await procedures.create(caller, draft, { rename: true, from_run_id: run_id }))
    },
    examples: ({ caller }) => ({ items: examplesIn(caller.language) }),
    addExample: async ({ caller, body }) => {
      const draft = exampleNamed(body.example, caller.language)
      return saved(caller, await procedures.create(caller, draft, { rename: true }))
    },
    importFile: async ({ caller, body: { format: _format, ...draft } }) =>
      saved(caller, await procedures.create(caller, draft, { rename: true })),
    read: ({ caller, params }) => procedures.read(caller, params.procedure_id),
    newDraft: async ({ caller, params }) => {
      await procedures.newDraft(caller, params.procedure_id)
      return saved(caller, params.procedure_id)
    },
    saveDraft: async ({ caller, params, body }) => {
      await procedures.saveDraft(caller, params.procedure_id, body.seen, body.draft)
      return saved(caller, params.procedure_id)
    },
    removeDraft: async ({ caller, params: { procedure_id } }) => {
      await procedures.removeDraft(caller, procedure_id)
      return { ok: true, deleted: procedure_id }
    },
    submit: async ({ caller, params, body }) => {
      await reviews.submit(caller, params.procedure_id, body)
      return saved(caller, params.procedure_id)
    },
    review: async ({ caller, params, body }) => {
      await reviews.review(caller, params.procedure_id, body)
      return saved(caller, params.procedure_id)
    },
    withdraw: async ({ caller, params, body }) => {
      await reviews.withdraw(caller, params.procedure_id, body.version, body.note)
      return saved(caller, params.procedure_id)
    },
    runs: async ({ caller, params, query }) => {
      await versionsOf(caller, params.procedure_id)
      return runsOf(db.read, caller.user_id, params.procedure_id, query)
    },
    run: async ({ caller, params: { procedure_id }, body, headers, asks }) => {
      const { of, versions } = await versionsOf(caller, procedure_id)
      const version = body.version ?? of.row.current_version
      const row = versions.find((one) => one.version === version)
      if (row?.state !== 'reviewed' || version === null)
        throw new AppError('procedure_not_reviewed', say`Only a reviewed version can run.`)
      const content = contentOf(row)
      const wrong =
        valuesProblem(content.params, body.values, { judge, hosts: hosts.known() }) ??
        stepThatRefuses(content, body.values, context)
      if (wrong !== null) {
        const errors = wrong.param === null ? [] : [{ path: `values.${wrong.param}`, message: wrong.why }]
        throw new AppError('bad_values', wrong.why, { errors })
      }
      const started = await send(caller, {
        message: content.name,
        procedure: { procedure_id, version, values: body.values },
        idempotency_key: headers['idempotency-key'] ?? null,
        asks,
      })
      return { ok: true, ...started }
    },
    exportFile: async ({ caller, params: { procedure_id }, query: { version } }) => {
      const { versions } = await versionsOf(caller, procedure_id)
      const row = version === undefined ? versions[0] : versions.find((one) => one.version === version)
      if (row === undefined) throw noProcedure()
      return { format: 'reeve-procedure/1' as const, ...toDraft(contentOf(row)) }
    },
  }
}
