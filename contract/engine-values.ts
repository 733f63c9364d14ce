import { z } from 'zod'
import { Id, Timestamp } from './values.ts'

export const EngineProviderName = z.enum(['openai-compatible', 'openai', 'anthropic', 'google'])

/** Engines of an installation, and models of an engine. */
export const ENGINE_LIMIT = 50
export const MODEL_LIMIT = 50
/** The id of the engine that the environment sets. */
export const ENVIRONMENT_ENGINE = 'environment'

const Price = z.number().min(0).max(1_000_000)
const Milliseconds = z.int().min(100).max(3_600_000)

/** Without control or invisible characters, because it goes into requests and records. */
export const ModelName = z
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
/** As it is given. */
export type GivenRequest = Omit<EngineRequest, 'ollama'> & { ollama?: boolean | undefined }

/** What is needed to call an engine. */
export const connection = {
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
  /** Omitted: as it is stored. So is `ollama`, of which earlier pages know nothing, at the same address. */
  request: EngineRequest.extend({ ollama: z.boolean().optional() }).optional(),
}
export const limits = {
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
  /** What was found and contradicts what is set; processes of a version before this do not say it. */
  against: z
    .strictObject({ value: z.int(), source: z.enum(['told', 'tried', 'learned']), found_at: Timestamp })
    .optional(),
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
