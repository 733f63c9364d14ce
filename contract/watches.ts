import { z } from 'zod'
import { json, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Ok } from './values.ts'
import { WATCH_LIMITS } from './watch-limits.ts'
import { Crossing, FigureSource, TableSource, Watch, WatchAction, WatchCondition, WatchValue } from './watch-values.ts'

/** Without control or invisible characters: it goes into messages. */
const Name = z
  .string()
  .trim()
  .min(1)
  .max(WATCH_LIMITS.name)
  .regex(/^\P{C}+$/u)
const Source = z
  .discriminatedUnion('kind', [FigureSource, TableSource])
  .refine((source) => source.kind === 'figure' || (source.match === 'none') === (source.where.length === 0), {
    message: 'conditions on rows, and how they count, go together',
    path: ['where'],
  })
const settings = {
  name: Name,
  enabled: z.boolean(),
  source: Source,
  condition: WatchCondition,
  interval_s: z.int().min(WATCH_LIMITS.interval_s.min).max(WATCH_LIMITS.interval_s.max),
  action: WatchAction,
}
const WatchParams = z.object({ watch_id: Id })
const saved = json(z.strictObject({ ok: Ok, watch: Watch }))
const refusals = ['watch_exists', 'bad_watch', 'watch_not_allowed', 'unknown_role', 'unknown_channel'] as const

/** Figures and tables that are looked at by themselves, and what happens when a bound is crossed. */
export const watches = {
  listWatches: route({
    method: 'GET',
    path: '/api/watches',
    summary: 'My watches with what they last saw; for administrators also those that all of them share',
    access: 'session',
    response: json(z.strictObject({ items: z.array(Watch) })),
    errors: [],
  }),
  watchOptions: route({
    method: 'GET',
    path: '/api/watches/options',
    summary: 'What a watch of mine may do: whom it may tell, and which routines it may start',
    access: 'session',
    response: json(
      z.strictObject({
        /** The caller may share watches, watch the installation, and have others told. */
        admin: z.boolean(),
        /** For administrators; empty for others. */
        roles: z.array(z.strictObject({ role_id: Id, name: z.string() })),
        channels: z.array(z.strictObject({ channel_id: Id, name: z.string() })),
        people: z.array(z.strictObject({ user_id: Id, username: z.string(), display_name: z.string() })),
        routines: z.array(z.strictObject({ routine_id: Id, name: z.string() })),
      }),
    ),
    errors: [],
  }),
  createWatch: route({
    method: 'POST',
    path: '/api/watches',
    summary: `Adds a watch; at most ${WATCH_LIMITS.own} for one person. Looked at for the first time within a minute`,
    access: 'session',
    sessionOnly: true,
    body: json(
      z.strictObject({
        ...settings,
        enabled: settings.enabled.default(true),
        interval_s: settings.interval_s.default(300),
        /** It belongs to all administrators; figures only. */
        shared: z.boolean().default(false),
      }),
    ),
    response: saved,
    errors: [...refusals, 'too_many_watches'],
  }),
  updateWatch: route({
    method: 'PATCH',
    path: '/api/watches/{watch_id}',
    summary:
      'Changes a watch, or switches it on or off. What it follows begins anew with another source, another condition, or when it is switched off',
    access: 'session',
    sessionOnly: true,
    params: WatchParams,
    body: json(z.strictObject(settings).partial()),
    response: saved,
    errors: [...refusals, 'not_found', 'watch_preset', 'watch_changed'],
  }),
  removeWatch: route({
    method: 'DELETE',
    path: '/api/watches/{watch_id}',
    summary: 'Removes a watch with its history. Those that an installation begins with can only be switched off',
    access: 'session',
    sessionOnly: true,
    params: WatchParams,
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found', 'watch_preset'],
  }),
  tryWatch: route({
    method: 'POST',
    path: '/api/watches/try',
    summary: 'What a watch would see now. Nothing is stored, and nobody is told',
    access: 'session',
    sessionOnly: true,
    rateLimit: 30,
    body: json(z.strictObject({ source: Source, condition: WatchCondition })),
    response: json(
      z.strictObject({
        /** Why nothing can be looked at; null: all is well. */
        problem: z.string().nullable(),
        /** At most 20. */
        subjects: z.array(
          z.strictObject({
            machine: z.string(),
            row: z.string(),
            value: WatchValue,
            problem: z.string().nullable(),
            /** Beyond the bound. */
            beyond: z.boolean(),
          }),
        ),
        all: z.int(),
        /** Columns of the table, for a source that is one. */
        columns: z.array(z.strictObject({ key: z.string(), label: z.string() })),
      }),
    ),
    errors: ['bad_watch', 'watch_not_allowed'],
  }),
  listCrossings: route({
    method: 'GET',
    path: '/api/watches/{watch_id}/crossings',
    summary: `When a watch crossed its bound, newest first; kept for ${WATCH_LIMITS.history_days} days`,
    access: 'session',
    params: WatchParams,
    query: z.object({ limit: limit(50), cursor: Cursor }),
    response: json(z.strictObject({ items: z.array(Crossing), next_cursor: NextCursor })),
    errors: ['not_found'],
  }),
}
export type NewWatch = z.infer<typeof watches.createWatch.body.schema>
export type WatchChange = z.infer<typeof watches.updateWatch.body.schema>
export type TriedWatch = z.infer<typeof watches.tryWatch.response.schema>
