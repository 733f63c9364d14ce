import { z } from 'zod'
import { PROCEDURE_LIMITS } from './procedure-limits.ts'
import { Draft, ProcedureDetail, ProcedureFile, Procedure, ProcedureRun } from './procedure-values.ts'
import { json, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Ok } from './values.ts'

const Params = z.object({ procedure_id: Id })
const saved = json(z.strictObject({ ok: Ok, ...ProcedureDetail.shape }))
const Hash = z.string().regex(/^[0-9a-f]{64}$/)
/** The version that the caller has seen: another one is not meant. */
const Seen = z.strictObject({ version: z.int().min(1), content_hash: Hash })
const Version = z.coerce.number().int().min(1)
const Note = z.string().trim().max(1000).default('')

/** Calls that a second person has reviewed, and that run without a model. */
export const procedures = {
  list: route({
    method: 'GET',
    path: '/api/procedures',
    summary: 'Procedures that I may run, have written or may review, by name',
    access: 'session',
    tokenNeeds: 'commands.read',
    response: json(z.strictObject({ items: z.array(Procedure) })),
    errors: [],
  }),
  create: route({
    method: 'POST',
    path: '/api/procedures',
    summary: `Write a procedure: its first draft; at most ${PROCEDURE_LIMITS.procedures} for all`,
    access: 'session',
    tokenNeeds: 'commands.write',
    body: json(Draft),
    response: saved,
    errors: ['bad_procedure', 'procedure_exists', 'too_many_procedures'],
  }),
  fromRun: route({
    method: 'POST',
    path: '/api/procedures/from-run/{run_id}',
    summary: 'Make a draft of the calls of a finished run of mine: its machines become parameters',
    access: 'session',
    tokenNeeds: 'commands.write',
    params: z.object({ run_id: Id }),
    response: saved,
    errors: ['not_found', 'bad_procedure', 'too_many_procedures'],
  }),
  examples: route({
    method: 'GET',
    path: '/api/procedures/examples',
    summary: 'Procedures that ship with Reeve, to begin with',
    access: 'session',
    tokenNeeds: 'commands.read',
    response: json(
      z.strictObject({
        items: z.array(z.strictObject({ example: z.string(), name: z.string(), description: z.string() })),
      }),
    ),
    errors: [],
  }),
  addExample: route({
    method: 'POST',
    path: '/api/procedures/examples',
    summary: 'Make a draft of one that ships with Reeve',
    access: 'session',
    tokenNeeds: 'commands.write',
    body: json(z.strictObject({ example: z.string().max(64) })),
    response: saved,
    errors: ['not_found', 'bad_procedure', 'too_many_procedures'],
  }),
  importFile: route({
    method: 'POST',
    path: '/api/procedures/import',
    summary: 'Make a draft of an exported procedure; a name that is taken gets a number',
    access: 'session',
    tokenNeeds: 'commands.write',
    body: { ...json(ProcedureFile), limit: PROCEDURE_LIMITS.file },
    response: saved,
    errors: ['bad_procedure', 'too_many_procedures', 'payload_too_large'],
  }),
  read: route({
    method: 'GET',
    path: '/api/procedures/{procedure_id}',
    summary: 'One procedure with its versions',
    access: 'session',
    tokenNeeds: 'commands.read',
    params: Params,
    response: json(ProcedureDetail),
    errors: ['not_found'],
  }),
  newDraft: route({
    method: 'POST',
    path: '/api/procedures/{procedure_id}/draft',
    summary: 'Begin a new version: a draft with what the newest one says',
    access: 'session',
    tokenNeeds: 'commands.write',
    params: Params,
    response: saved,
    errors: ['not_found', 'procedure_changed'],
  }),
  saveDraft: route({
    method: 'PUT',
    path: '/api/procedures/{procedure_id}/draft',
    summary: 'Save the draft; only its author does, and only while it still is what they have seen',
    access: 'session',
    tokenNeeds: 'commands.write',
    params: Params,
    body: json(z.strictObject({ seen: Hash, draft: Draft })),
    response: saved,
    errors: ['not_found', 'bad_procedure', 'procedure_exists', 'procedure_changed'],
  }),
  removeDraft: route({
    method: 'DELETE',
    path: '/api/procedures/{procedure_id}/draft',
    summary: 'Delete the draft, and with the only version the procedure',
    access: 'session',
    tokenNeeds: 'commands.write',
    params: Params,
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found', 'procedure_changed'],
  }),
  submit: route({
    method: 'POST',
    path: '/api/procedures/{procedure_id}/submit',
    summary: 'Ask for a review of the draft; from then on nobody changes it',
    access: 'session',
    sessionOnly: true,
    params: Params,
    body: json(Seen),
    response: saved,
    errors: ['not_found', 'bad_procedure', 'procedure_changed'],
  }),
  review: route({
    method: 'POST',
    path: '/api/procedures/{procedure_id}/review',
    summary:
      'Review what was submitted, as somebody else than its author, with the permission procedures.review; it holds for exactly the content named',
    access: 'session',
    sessionOnly: true,
    params: Params,
    body: json(Seen.extend({ decision: z.enum(['approve', 'reject']), note: Note })),
    response: saved,
    errors: ['not_found', 'bad_procedure', 'procedure_changed', 'own_procedure', 'reviewer_denied'],
  }),
  withdraw: route({
    method: 'POST',
    path: '/api/procedures/{procedure_id}/withdraw',
    summary: 'Withdraw a reviewed version, which never runs again; or take back what was submitted',
    access: 'session',
    sessionOnly: true,
    params: Params,
    body: json(z.strictObject({ version: z.int().min(1), note: Note })),
    response: saved,
    errors: ['not_found', 'procedure_changed'],
  }),
  runs: route({
    method: 'GET',
    path: '/api/procedures/{procedure_id}/runs',
    summary: 'Who ran it, when and how it ended, newest first; values and conversation of my own runs only',
    access: 'session',
    tokenNeeds: 'commands.read',
    params: Params,
    query: z.object({ limit: limit(50), cursor: Cursor }),
    response: json(z.strictObject({ items: z.array(ProcedureRun), next_cursor: NextCursor })),
    errors: ['not_found'],
  }),
  run: route({
    method: 'POST',
    path: '/api/procedures/{procedure_id}/runs',
    summary: 'Run a reviewed version in a new conversation; without a version, the current one',
    access: 'session',
    permissions: ['codex.use'],
    onAsk: 'card',
    params: Params,
    headers: z.object({ 'idempotency-key': z.string().min(1).max(200).optional() }),
    body: json(
      z.strictObject({
        version: z.int().min(1).optional(),
        values: z.record(z.string(), z.unknown()).default({}),
      }),
    ),
    response: json(z.strictObject({ ok: Ok, run_id: Id, conversation_id: Id })),
    errors: ['not_found', 'procedure_not_reviewed', 'bad_values', 'run_active', 'idempotency_mismatch'],
  }),
  exportFile: route({
    method: 'GET',
    path: '/api/procedures/{procedure_id}/export',
    summary: 'A version in the form that the import takes; without one, the newest that I see',
    access: 'session',
    tokenNeeds: 'commands.read',
    params: Params,
    query: z.object({ version: Version.optional() }),
    response: json(ProcedureFile),
    errors: ['not_found'],
  }),
}
