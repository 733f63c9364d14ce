import { z } from 'zod'
import { characters, isBlank } from './commands.ts'
import { json, optionalJson, route } from './route.ts'
import { ROUTINE_DEFAULTS } from './routine-limits.ts'
import {
  AdminRoutine,
  FireResult,
  HOOK_BODY_LIMIT,
  HookKind,
  HookLabels,
  Routine,
  ROUTINE_NAME_LIMIT,
  RoutineFire,
  RoutineHook,
  RoutineLimits,
  RoutineWork,
  ROUTINES_LIMIT,
  Schedule,
} from './routine-values.ts'
import { TokenScope } from './rules.ts'
import { Cursor, Id, limit, NextCursor, Ok, Timestamp } from './values.ts'

const Name = z
  .string()
  .trim()
  .refine((name) => !isBlank(name), 'A name needs at least one visible character')
  .refine((name) => characters(name) <= ROUTINE_NAME_LIMIT, `At most ${ROUTINE_NAME_LIMIT} characters`)
  .meta({ minLength: 1, maxLength: ROUTINE_NAME_LIMIT })

const Scope = z.array(TokenScope).max(200)
const limits = RoutineLimits.shape
const RoutineParams = z.object({ routine_id: Id })
const HookParams = RoutineParams.extend({ hook_id: Id })
const saved = json(z.strictObject({ ok: Ok, routine: Routine }))

/** What a fire came to; `run_id` where it began one. */
const Fired = z.strictObject({ ok: Ok, fire_id: Id.nullable(), outcome: FireResult.nullable(), run_id: Id.nullable() })

/** Work that nobody has to start: at times, by a webhook, or by hand. Everybody has their own. */
export const routines = {
  list: route({
    method: 'GET',
    path: '/api/routines',
    summary: 'My routines by name, with their next times and how they last went',
    access: 'session',
    permissions: ['codex.use'],
    onAsk: 'card',
    response: json(z.strictObject({ items: z.array(Routine) })),
    errors: [],
  }),
  create: route({
    method: 'POST',
    path: '/api/routines',
    summary: `Save a routine; at most ${ROUTINES_LIMIT} for one user`,
    access: 'session',
    sessionOnly: true,
    permissions: ['codex.use'],
    onAsk: 'card',
    body: json(
      z.strictObject({
        name: Name,
        work: RoutineWork,
        scope: Scope,
        schedule: Schedule.nullable().default(null),
        report: z.boolean().default(false),
        overlap: limits.overlap.default(ROUTINE_DEFAULTS.overlap),
        catch_up_s: limits.catch_up_s.default(ROUTINE_DEFAULTS.catch_up_s),
        run_limit_s: limits.run_limit_s.default(ROUTINE_DEFAULTS.run_limit_s),
        token_budget: limits.token_budget.default(ROUTINE_DEFAULTS.token_budget),
        call_budget: limits.call_budget.default(ROUTINE_DEFAULTS.call_budget),
        card_life_s: limits.card_life_s.default(ROUTINE_DEFAULTS.card_life_s),
      }),
    ),
    response: saved,
    errors: ['routine_exists', 'too_many_routines', 'bad_schedule', 'bad_routine', 'engine_not_allowed'],
  }),
  read: route({
    method: 'GET',
    path: '/api/routines/{routine_id}',
    summary: 'One routine of mine',
    access: 'session',
    permissions: ['codex.use'],
    onAsk: 'card',
    params: RoutineParams,
    response: json(z.strictObject({ routine: Routine })),
    errors: ['not_found'],
  }),
  update: route({
    method: 'PATCH',
    path: '/api/routines/{routine_id}',
    summary: 'Change a routine: what is given, and nothing else',
    access: 'session',
    sessionOnly: true,
    permissions: ['codex.use'],
    onAsk: 'card',
    params: RoutineParams,
    body: json(
      z.strictObject({
        name: Name.optional(),
        work: RoutineWork.optional(),
        scope: Scope.optional(),
        schedule: Schedule.nullable().optional(),
        report: z.boolean().optional(),
        ...RoutineLimits.partial().shape,
        /** The revision that was shown; omitted: whatever it is now. */
        revision: z.int().optional(),
      }),
    ),
    response: saved,
    errors: ['not_found', 'routine_exists', 'routine_changed', 'bad_schedule', 'bad_routine', 'engine_not_allowed'],
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/routines/{routine_id}',
    summary: 'Delete a routine with its history and webhooks; conversations of its runs stay',
    access: 'session',
    sessionOnly: true,
    params: RoutineParams,
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found'],
  }),
  run: route({
    method: 'POST',
    path: '/api/routines/{routine_id}/run',
    summary: 'Run a routine now; with an Idempotency-Key, once for each key',
    access: 'session',
    sessionOnly: true,
    permissions: ['codex.use'],
    onAsk: 'card',
    params: RoutineParams,
    headers: z.object({ 'idempotency-key': z.string().min(1).max(200).optional() }),
    body: optionalJson(z.strictObject({})),
    response: json(Fired),
    errors: ['not_found'],
  }),
  pause: route({
    method: 'POST',
    path: '/api/routines/{routine_id}/pause',
    summary: 'Pause a routine; a run that has begun goes on',
    access: 'session',
    sessionOnly: true,
    params: RoutineParams,
    body: optionalJson(z.strictObject({})),
    response: saved,
    errors: ['not_found'],
  }),
  resume: route({
    method: 'POST',
    path: '/api/routines/{routine_id}/resume',
    summary: 'Let a paused routine go on with its next time; nothing is made up for',
    access: 'session',
    sessionOnly: true,
    permissions: ['codex.use'],
    onAsk: 'card',
    params: RoutineParams,
    body: optionalJson(z.strictObject({})),
    response: saved,
    errors: ['not_found', 'routine_stopped'],
  }),
  preview: route({
    method: 'POST',
    path: '/api/routines/preview',
    summary: 'The next times of a schedule, before it is saved; or why there are none',
    access: 'session',
    body: json(z.strictObject({ cron: z.string().max(200), zone: z.string().max(64) })),
    response: json(
      z.strictObject({
        next: z.array(Timestamp),
        /** In the reader's language; null where it can be saved. */
        problem: z.string().nullable(),
      }),
    ),
    errors: [],
  }),
  week: route({
    method: 'GET',
    path: '/api/routines/week',
    summary: 'All times of my routines in the next seven days, at most 2000',
    access: 'session',
    permissions: ['codex.use'],
    onAsk: 'card',
    response: json(z.strictObject({ items: z.array(z.strictObject({ routine_id: Id, at: Timestamp })) })),
    errors: [],
  }),
  fires: route({
    method: 'GET',
    path: '/api/routines/{routine_id}/fires',
    summary: 'The history of a routine, newest first',
    access: 'session',
    permissions: ['codex.use'],
    onAsk: 'card',
    params: RoutineParams,
    query: z.object({ limit: limit(50), cursor: Cursor }),
    response: json(z.strictObject({ items: z.array(RoutineFire), next_cursor: NextCursor })),
    errors: ['not_found'],
  }),
  hooks: route({
    method: 'GET',
    path: '/api/routines/{routine_id}/webhooks',
    summary: 'The webhooks of a routine, without their secrets',
    access: 'session',
    sessionOnly: true,
    params: RoutineParams,
    response: json(z.strictObject({ items: z.array(RoutineHook) })),
    errors: ['not_found'],
  }),
  addHook: route({
    method: 'POST',
    path: '/api/routines/{routine_id}/webhooks',
    summary: 'Add a webhook that starts a routine; its secret is in this answer and nowhere else',
    access: 'session',
    sessionOnly: true,
    permissions: ['codex.use'],
    onAsk: 'card',
    params: RoutineParams,
    body: json(
      z.strictObject({ kind: HookKind, labels: HookLabels.default({}), resolved: z.boolean().default(false) }),
    ),
    response: json(z.strictObject({ ok: Ok, hook: RoutineHook, secret: z.string() })),
    errors: ['not_found', 'bad_routine', 'too_many_hooks'],
  }),
  removeHook: route({
    method: 'DELETE',
    path: '/api/routines/{routine_id}/webhooks/{hook_id}',
    summary: 'Remove a webhook: its secret no longer counts',
    access: 'session',
    sessionOnly: true,
    params: HookParams,
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found'],
  }),
  receive: route({
    method: 'POST',
    path: '/api/hooks/{hook_id}',
    summary: 'What a webhook of a routine is posted to; 404 unless it proves itself',
    access: 'public',
    callerless: true,
    rateLimit: 60,
    params: z.object({ hook_id: Id }),
    headers: z.object({
      'webhook-id': z.string().max(200).optional(),
      'webhook-timestamp': z.string().max(20).optional(),
      'webhook-signature': z.string().max(2000).optional(),
      authorization: z.string().max(500).optional(),
    }),
    body: { kind: 'raw', limit: HOOK_BODY_LIMIT },
    response: {
      kind: 'accepted',
      schema: z.strictObject({ ok: Ok }),
      accepted: z.strictObject({ ok: Ok, outcome: FireResult.nullable() }),
    },
    errors: [],
  }),
  listAll: route({
    method: 'GET',
    path: '/api/admin/routines',
    summary: 'Routines of everybody: whose, when, and whether they are on; never what they do',
    access: 'admin',
    query: z.object({ limit: limit(100), cursor: Cursor }),
    response: json(z.strictObject({ items: z.array(AdminRoutine), next_cursor: NextCursor })),
    errors: [],
  }),
  stop: route({
    method: 'POST',
    path: '/api/admin/routines/{routine_id}/stop',
    summary: 'Pause a routine of anybody until an administrator lets it go on, and stop its runs',
    access: 'admin',
    sessionOnly: true,
    params: RoutineParams,
    body: optionalJson(z.strictObject({})),
    response: json(z.strictObject({ ok: Ok, cancelled_count: z.int() })),
    errors: ['not_found'],
  }),
  release: route({
    method: 'POST',
    path: '/api/admin/routines/{routine_id}/release',
    summary: 'Give a stopped routine back to its owner, paused',
    access: 'admin',
    sessionOnly: true,
    params: RoutineParams,
    body: optionalJson(z.strictObject({})),
    response: json(z.strictObject({ ok: Ok })),
    errors: ['not_found'],
  }),
}
