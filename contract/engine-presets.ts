export type EngineProvider = 'openai-compatible' | 'openai' | 'anthropic' | 'google'

/** A widely used engine provider: what an administrator would otherwise have to look up. */
export interface EnginePreset {
  readonly id: string
  /** The provider's own spelling; not translated. */
  readonly name: string
  readonly provider: EngineProvider
  /** Null: the provider has a single address, which is known. */
  readonly base_url: string | null
  readonly needs_key: boolean
  /** On this machine or in one's own network, so that no data leaves it. */
  readonly local: boolean
  /** Tokens that fit into one request to its typical models. */
  readonly context_tokens: number
}

export const ENGINE_PRESETS: readonly EnginePreset[] = [
  local('ollama', 'Ollama', 'http://127.0.0.1:11434/v1', 32_000),
  local('llama-cpp', 'llama.cpp', 'http://127.0.0.1:8080/v1', 32_000),
  local('lm-studio', 'LM Studio', 'http://127.0.0.1:1234/v1', 32_000),
  local('vllm', 'vLLM', 'http://127.0.0.1:8000/v1', 32_000),
  hosted('openai', 'OpenAI', 'openai', null, 400_000),
  hosted('anthropic', 'Anthropic', 'anthropic', null, 200_000),
  hosted('google', 'Google', 'google', null, 1_000_000),
  hosted('mistral', 'Mistral', 'openai-compatible', 'https://api.mistral.ai/v1', 128_000),
  hosted('deepseek', 'DeepSeek', 'openai-compatible', 'https://api.deepseek.com/v1', 128_000),
  hosted('openrouter', 'OpenRouter', 'openai-compatible', 'https://openrouter.ai/api/v1', 128_000),
]

function local(id: string, name: string, base_url: string, context_tokens: number): EnginePreset {
  return { id, name, provider: 'openai-compatible', base_url, needs_key: false, local: true, context_tokens }
}

function hosted(
  id: string,
  name: string,
  provider: EngineProvider,
  base_url: string | null,
  context_tokens: number,
): EnginePreset {
  return { id, name, provider, base_url, needs_key: true, local: false, context_tokens }
}
