import { z } from 'zod'
import { json, optionalJson, route } from './route.ts'
import { Ok, Timestamp } from './values.ts'

export const EngineProviderName = z.enum(['openai-compatible', 'openai', 'anthropic', 'google'])

const Price = z.number().min(0).max(1_000_000)
const Milliseconds = z.int().min(100).max(3_600_000)

/** What is needed to call an engine. */
const connection = {
  provider: EngineProviderName,
  /** Address of the API including its version; null: the provider's own. */
  base_url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .nullable(),
  /** Without control or invisible characters, because it goes into requests and records. */
  model: z
    .string()
    .trim()
    .max(300)
    .regex(/^\P{C}+$/u),
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
    summary: 'The AI engine that is set, without its key',
    access: 'admin',
    response: json(EngineState),
    errors: [],
  }),
  saveEngine: route({
    method: 'PUT',
    path: '/api/admin/ai',
    summary: 'Set the AI engine; in force for the next step of every run, without a restart',
    access: 'admin',
    body: json(z.strictObject({ ...connection, ...limits })),
    response: json(z.strictObject({ ok: Ok, ai: EngineState })),
    errors: ['engine_read_only', 'engine_address', 'engine_key_elsewhere'],
  }),
  removeEngine: route({
    method: 'DELETE',
    path: '/api/admin/ai',
    summary: 'Remove the AI engine with its key: direct mode only',
    access: 'admin',
    body: optionalJson(z.strictObject({})),
    response: json(z.strictObject({ ok: Ok, ai: EngineState })),
    errors: ['engine_read_only'],
  }),
  testEngine: route({
    method: 'POST',
    path: '/api/admin/ai/test',
    summary: 'Ask an engine something short with these values, without saving them',
    access: 'admin',
    body: json(z.strictObject(connection)),
    response: json(EngineTest),
    errors: ['engine_address', 'engine_key_elsewhere'],
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
      }),
    ),
    response: json(z.strictObject({ items: z.array(z.strictObject({ id: z.string(), name: z.string() })) })),
    errors: ['engine_address', 'engine_key_elsewhere', 'ai_unavailable'],
    rateLimit: 60,
  }),
}
