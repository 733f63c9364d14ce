/** An engine as an administrator saved it. The one of the environment has no row. */
export interface EngineTable {
  engine_id: string
  name: string
  name_folded: string
  provider: 'openai-compatible' | 'openai' | 'anthropic' | 'google'
  base_url: string | null
  /** The model that answers unless another of `models` is chosen. */
  model: string
  /** JSON array of names. */
  models: string
  sealed_key: string | null
  key_updated_at: number | null
  context_tokens: number
  /** JSON `{input_micros, output_micros}` per million tokens; null: unknown. */
  price: string | null
  timeout_ms: number
  idle_timeout_ms: number
  /** JSON array of the roles that may use it; empty: everybody. */
  role_ids: string
  /** 1 on exactly one row, if there is any. */
  is_default: number
  /** 1 on at most one row: it names columns and titles. */
  is_naming: number
  /** JSON of an EngineRequest, without what is as usual. */
  request: string
  /** 1: its server is Ollama, and asked on its own wire. */
  ollama: number
  /** The engine that answers where this one does not; null: none. */
  fallback_id: string | null
  updated_at: number
  updated_by: string
}

/** One fact about a model of an engine, from one source. */
export interface ModelFactTable {
  engine_id: string
  model: string
  fact: 'tools' | 'parallel' | 'pictures' | 'tool_pictures' | 'reasoning' | 'context'
  /**
   * `set` by an administrator, `told` by the engine, `tried` with a small request, `learned` from a request that failed.
   */
  source: 'set' | 'told' | 'tried' | 'learned'
  /** Provider and address of the engine when it was found: it says nothing about another place. */
  place: string
  /** 1 or 0; of `context` tokens. */
  value: number
  found_at: number
}
