import { z } from 'zod'
import { json, optionalJson, route } from './route.ts'
import { Id, Ok, Timestamp } from './values.ts'

export const EngineProviderName = z.enum(['openai-compatible', 'openai', 'anthropic', 'google'])

/** Engines of an installation, and models of an engine. */
export const ENGINE_LIMIT = 50
export const MODEL_LIMIT = 50
/** The id of the engine that the environment sets. */
export const ENVIRONMENT_ENGINE = 'environment'

const Price = z.number().min(0).max(1_000_000)
const Milliseconds = z.int().min(100).max(3_600_000)

/** Without control or invisible characters, because it goes into requests and records. */
const ModelName = z
  .string()
  .trim()
  .max(300)
  .regex(/^\P{C}+$/u)

/** Headers that belong to the connection, or would lead the request elsewhere. */
const OWN_HEADER =
  /^(?:host|connection|content-length|content-type|transfer-encoding|upgrade|te|trailer|cookie|proxy-.*)$/i
const Pair = z.strictObject({ name: z.string().trim().min(1).max(100), value: z.string().max(2000) })

/** How requests to an engine are made, beyond what its provider's wire says. */
export const EngineRequest = z.strictObject({
  /** Sent along with each request; `{key}` in a value stands for the key, which is then sent nowhere else. Not for secrets. */
  headers: z
    .array(
      Pair.extend({
        name: Pair.shape.name
          .regex(/^[\w-]+$/)
          .refine((name) => !OWN_HEADER.test(name), { message: 'is not for you to set' }),
        value: Pair.shape.value.regex(/^[ -~]*$/, 'must be plain characters'),
      }),
    )
    .max(20)
    .default([]),
  /** Added to the address, such as Azure's `api-version`. */
  query: z.array(Pair).max(20).default([]),
  /** Tokens of one answer at most; null: as the provider has it. */
  max_output_tokens: z.int().min(1).max(10_000_000).nullable().default(null),
  /** How much a model thinks before it answers; null: as the provider has it. */
  effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).nullable().default(null),
  /** Whether Anthropic is asked to keep the beginning of each request for the next one. */
  cache: z.boolean().default(false),
  /** Whether an OpenAI-compatible engine is asked for its tokens (`stream_options`), which some refuse. */
  count_tokens: z.boolean().default(true),
  /** Whether an OpenAI-compatible engine is Ollama: then its context is set to what the engine's settings say. */
  ollama: z.boolean().default(false),
})
export type EngineRequest = z.infer<typeof EngineRequest>

/** What is needed to call an engine. */
const connection = {
  provider: EngineProviderName,
  /** Address of the API including its version; null: the provider's own. */
  base_url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .nullable(),
  model: ModelName,
  /**
   * Omitted: the stored key, which is only sent to the address it was stored for. null: no key. It can never be read
   * back.
   */
  api_key: z
    .string()
    .trim()
    .max(4000)
    .regex(/^[!-~]+$/, 'must not hold spaces or special characters')
    .nullable()
    .optional(),
  /** Omitted: as it is stored. */
  request: EngineRequest.optional(),
}
const limits = {
  context_tokens: z.int().min(2000).max(10_000_000),
  /** Per million tokens, in the currency of the invoice; null: unknown. */
  price: z.strictObject({ input: Price, output: Price }).nullable(),
  /** Time limits until the first piece of an answer and between two pieces. */
  timeout_ms: Milliseconds,
  idle_timeout_ms: Milliseconds,
}

export const EngineSettings = z.strictObject({
  provider: connection.provider,
  base_url: z.string().nullable(),
  model: z.string(),
  api_key: z.strictObject({ configured: z.boolean(), updated_at: Timestamp.nullable() }),
  ...limits,
  /** How much of its context definitions of tools may fill, in tokens. */
  tool_tokens: z.int(),
  request: EngineRequest,
})
export type EngineSettings = z.infer<typeof EngineSettings>

export const EngineState = z.strictObject({
  /** `environment`: set by REEVE_AI_…, which overrides what is saved here and can only be changed there. */
  source: z.enum(['none', 'environment', 'settings']),
  engine: EngineSettings.nullable(),
  updated_at: Timestamp.nullable(),
  updated_by: z.string().nullable(),
})
export type EngineState = z.infer<typeof EngineState>

/** What is known of a model, and where from. */
export const ModelFact = z.strictObject({
  /**
   * `parallel`: several calls at once. `tool_pictures`: pictures after the results of tools. `reasoning`: it thinks before
   * it answers.
   */
  fact: z.enum(['tools', 'parallel', 'pictures', 'tool_pictures', 'reasoning', 'context']),
  /** 1 or 0; of `context` tokens. */
  value: z.int(),
  /**
   * `set` by an administrator, which counts more than anything else; `told` by the engine; `tried` with a small request;
   * `learned` from a request that it refused.
   */
  source: z.enum(['set', 'told', 'tried', 'learned']),
  found_at: Timestamp,
})
export type ModelFact = z.infer<typeof ModelFact>

const ModelFactsOf = z.strictObject({ model: z.string(), facts: z.array(ModelFact) })

/** One of any number of engines. */
export const EngineEntry = z.strictObject({
  engine_id: Id,
  /** `environment`: set by REEVE_AI_…, can only be changed there, and is the default. */
  source: z.enum(['environment', 'settings']),
  name: z.string(),
  ...EngineSettings.shape,
  /** `model`, and the others that may be chosen. */
  models: z.array(z.string()),
  /** The roles that may use it; empty: everybody. */
  role_ids: z.array(Id),
  /** It answers where nothing else is chosen. */
  default: z.boolean(),
  /** It names columns and conversations. */
  naming: z.boolean(),
  /** What answers where it does not. */
  fallback_id: Id.nullable(),
  /** What is known of its models; processes of a version before this do not say it. */
  facts: z.array(ModelFactsOf).optional(),
  updated_at: Timestamp.nullable(),
  updated_by: z.string().nullable(),
})
export type EngineEntry = z.infer<typeof EngineEntry>

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
