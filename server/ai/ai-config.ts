export type AiProvider = 'openai-compatible' | 'openai' | 'anthropic' | 'google'

/** Which engine answers; null means that none is configured, and only direct mode is left. */
export type AiConfig = {
  readonly provider: AiProvider
  /** Address of the API with its version, e.g. `http://127.0.0.1:11434/v1`; null: the provider's own. */
  readonly base_url: string | null
  readonly model: string
  readonly api_key: string | null
  readonly context_tokens: number
  /** Per million tokens, in millionths of the currency unit. */
  readonly price: { input_micros: number; output_micros: number } | null
  /**
   * Milliseconds until the first byte of an answer; a local model may need minutes to read a long prompt.
   */
  readonly timeout_ms: number
  /** Milliseconds between two pieces of an answer. */
  readonly idle_timeout_ms: number
} | null
