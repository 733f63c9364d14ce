import { z } from 'zod'
import { connection, EngineEntry, EngineState, limits, MODEL_LIMIT, ModelName } from './engine-values.ts'
import { json, optionalJson, route } from './route.ts'
import { Id, Ok } from './values.ts'

export * from './engine-values.ts'

const savedEngine = {
  name: z
    .string()
    .trim()
    .min(1)
    .max(80)
    .regex(/^\P{C}+$/u),
  ...connection,
  ...limits,
  /** Besides `model`. */
  models: z
    .array(ModelName)
    .max(MODEL_LIMIT - 1)
    .default([]),
  role_ids: z.array(Id).max(200).default([]),
  /** true: instead of the one that was. */
  default: z.boolean().default(false),
  naming: z.boolean().default(false),
  /** The engine that answers where this one fails before it says anything; null: none. Omitted: as it is stored. */
  fallback_id: Id.nullable().optional(),
}
const EngineParams = z.object({ engine_id: Id })
/** Whose stored key is used where none is given; omitted: the default engine's. null: none. */
const keyOf = { engine_id: Id.nullable().optional() }

export const EngineProblem = z.enum([
  'unreachable',
  'wrong_key',
  'no_key',
  'no_credit',
  'unknown_model',
  'rate_limited',
  'redirected',
  'no_tools',
  'refused',
])
export const EngineTest = z.strictObject({
  ok: z.boolean(),
  /** Null when everything works. With `no_tools` the engine answers but cannot use tools. */
  problem: EngineProblem.nullable(),
  /** A sentence about it, in the reader's language. */
  detail: z.string(),
  /** Whether it called the tool it was given; null when it did not get that far. */
  tools: z.boolean().nullable(),
  /** Milliseconds until the first piece, and in total. */
  first_ms: z.int().nullable(),
  total_ms: z.int(),
})
export type EngineTest = z.infer<typeof EngineTest>

export const engines = {
  engine: route({
    method: 'GET',
    path: '/api/admin/ai',
    summary: 'The default AI engine, without its key',
    access: 'admin',
    response: json(EngineState),
    errors: [],
  }),
  saveEngine: route({
    method: 'PUT',
    path: '/api/admin/ai',
    summary: 'Set the default AI engine; in force for the next step of every run, without a restart',
    access: 'admin',
    body: json(z.strictObject({ ...connection, ...limits })),
    response: json(z.strictObject({ ok: Ok, ai: EngineState })),
    errors: ['engine_read_only', 'engine_address', 'engine_key_elsewhere', 'engine_exists'],
  }),
  removeEngine: route({
    method: 'DELETE',
    path: '/api/admin/ai',
    summary: 'Remove the default AI engine with its key; the oldest of the others, if any, takes its place',
    access: 'admin',
    body: optionalJson(z.strictObject({})),
    response: json(z.strictObject({ ok: Ok, ai: EngineState })),
    errors: ['engine_read_only'],
  }),
  listEngines: route({
    method: 'GET',
    path: '/api/admin/ai/engines',
    summary: 'Every AI engine, without its key; the default one first',
    access: 'admin',
    response: json(
      z.strictObject({
        items: z.array(EngineEntry),
        /** Whether an engine names conversations after their first exchange. */
        titles: z.boolean(),
      }),
    ),
    errors: [],
  }),
  addEngine: route({
    method: 'POST',
    path: '/api/admin/ai/engines',
    summary: 'Add an AI engine, at most 50; the first one becomes the default',
    access: 'admin',
    body: json(z.strictObject(savedEngine)),
    response: json(z.strictObject({ ok: Ok, engine: EngineEntry })),
    errors: ['not_found', 'engine_address', 'engine_exists', 'too_many_engines', 'unknown_role'],
  }),
  updateEngine: route({
    method: 'PUT',
    path: '/api/admin/ai/engines/{engine_id}',
    summary: 'Change an AI engine; in force for the next step of every run, without a restart',
    access: 'admin',
    params: EngineParams,
    body: json(z.strictObject(savedEngine)),
    response: json(z.strictObject({ ok: Ok, engine: EngineEntry })),
    errors: [
      'not_found',
      'engine_read_only',
      'engine_address',
      'engine_key_elsewhere',
      'engine_exists',
      'unknown_role',
    ],
  }),
  deleteEngine: route({
    method: 'DELETE',
    path: '/api/admin/ai/engines/{engine_id}',
    summary: 'Remove an AI engine with its key; conversations that chose it go on with the default',
    access: 'admin',
    params: EngineParams,
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found', 'engine_read_only'],
  }),
  probeModel: route({
    method: 'POST',
    path: '/api/admin/ai/engines/{engine_id}/probe',
    summary:
      'Find out what a model of an engine can do, from what the engine says of it and with two small requests. Takes up to a minute',
    access: 'admin',
    params: EngineParams,
    body: json(z.strictObject({ model: ModelName })),
    response: json(
      z.strictObject({
        ok: Ok,
        engine: EngineEntry,
        /** Why it could not be tried; null: it could. */
        problem: z.string().nullable(),
      }),
    ),
    errors: ['not_found'],
    rateLimit: 60,
  }),
  setModelFacts: route({
    method: 'PUT',
    path: '/api/admin/ai/engines/{engine_id}/facts',
    summary: 'Say what a model can do, instead of what was found; null: as it was found',
    access: 'admin',
    params: EngineParams,
    body: json(
      z.strictObject({
        model: ModelName,
        tools: z.boolean().nullable().optional(),
        pictures: z.boolean().nullable().optional(),
        tool_pictures: z.boolean().nullable().optional(),
        context: z.int().min(512).max(10_000_000).nullable().optional(),
      }),
    ),
    response: json(z.strictObject({ ok: Ok, engine: EngineEntry })),
    errors: ['not_found'],
  }),
  saveTitles: route({
    method: 'PUT',
    path: '/api/admin/ai/titles',
    summary: 'Whether an engine names conversations after their first exchange',
    access: 'admin',
    body: json(z.strictObject({ titles: z.boolean() })),
    response: json(z.strictObject({ ok: Ok, titles: z.boolean() })),
    errors: [],
  }),
  testEngine: route({
    method: 'POST',
    path: '/api/admin/ai/test',
    summary: 'Ask an engine something short with these values, without saving them',
    access: 'admin',
    body: json(z.strictObject({ ...connection, ...keyOf, context_tokens: limits.context_tokens.optional() })),
    response: json(EngineTest),
    errors: ['not_found', 'engine_address', 'engine_key_elsewhere'],
    rateLimit: 60,
  }),
  listModels: route({
    method: 'POST',
    path: '/api/admin/ai/models',
    summary: 'The models that a provider lists, asked with these values',
    access: 'admin',
    body: json(
      z.strictObject({
        provider: connection.provider,
        base_url: connection.base_url,
        api_key: connection.api_key,
        request: connection.request,
        ...keyOf,
      }),
    ),
    response: json(z.strictObject({ items: z.array(z.strictObject({ id: z.string(), name: z.string() })) })),
    errors: ['not_found', 'engine_address', 'engine_key_elsewhere', 'ai_unavailable'],
    rateLimit: 60,
  }),
}
