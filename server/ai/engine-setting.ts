import type { EngineRequest } from '../../contract/engines.ts'

export type AiProvider = 'openai-compatible' | 'openai' | 'anthropic' | 'google'

/** How an engine is reached and accounted for, whether set by the environment or in the pages. */
export interface EngineSetting {
  readonly provider: AiProvider
  /** Address of the API with its version, e.g. `http://127.0.0.1:11434/v1`; null: the provider's own. */
  readonly base_url: string | null
  readonly model: string
  readonly api_key: string | null
  readonly context_tokens: number
  /** Per million tokens, in millionths of the currency unit. */
  readonly price: { input_micros: number; output_micros: number } | null
  /** Milliseconds until the first byte of an answer; a local model may need minutes to read a long prompt. */
  readonly timeout_ms: number
  /** Milliseconds between two pieces of an answer. */
  readonly idle_timeout_ms: number
  readonly request: EngineRequest
}

/** The engine that answers; null if none is configured, which leaves only direct mode. */
export type AiConfig = EngineSetting | null

/**
 * The settings of an engine, which belong together; null if none are set. @throws {Error} with a sentence for the
 * operator
 */
export function readEngineSetting({
  input,
  output,
  ...set
}: Omit<EngineSetting, 'price'> & {
  /** Prices per million tokens; empty if not set. */
  readonly input: number | ''
  readonly output: number | ''
}): EngineSetting | null {
  if (set.model === '') {
    if (set.base_url !== null) throw new Error('REEVE_AI_BASE_URL is set and REEVE_AI_MODEL is not: name the model.')
    return null
  }
  if (set.provider === 'openai-compatible' && set.base_url === null)
    throw new Error(
      'REEVE_AI_MODEL is set and REEVE_AI_BASE_URL is not: say where the engine is, or set REEVE_AI_PROVIDER.',
    )
  if ((input === '') !== (output === ''))
    throw new Error('REEVE_AI_PRICE_INPUT and REEVE_AI_PRICE_OUTPUT are set together or not at all.')
  const price =
    input === '' || output === ''
      ? null
      : { input_micros: Math.round(input * 1e6), output_micros: Math.round(output * 1e6) }
  return { ...set, price }
}
