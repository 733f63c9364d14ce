import type { AiConfig, AiProvider } from './engine-setting.ts'
import { withRequest } from './engine-request.ts'
import type { ProviderModel } from './provider-model.ts'
import { ollamaWire } from './reading/ollama-wire.ts'
import { anthropicPiece, tolerantWire } from './reading/tolerant-wire.ts'
import { watchedFetch } from './watched-fetch.ts'

// Given explicitly so that the SDK does not look for OPENAI_BASE_URL and the like in the environment.
const ADDRESSES: Record<AiProvider, { url: string | null; version: string }> = {
  'openai-compatible': { url: null, version: '/v1' },
  openai: { url: 'https://api.openai.com/v1', version: '/v1' },
  anthropic: { url: 'https://api.anthropic.com/v1', version: '/v1' },
  google: { url: 'https://generativelanguage.googleapis.com/v1beta', version: '/v1beta' },
}

/** The address of the provider's API. One without a path gets the usual version, so `http://host:11434` works too. */
export function baseUrl(config: Pick<NonNullable<AiConfig>, 'provider' | 'base_url'>): string {
  const { url, version } = ADDRESSES[config.provider]
  const given = config.base_url ?? url
  if (given === null)
    throw new Error('An address is needed for an OpenAI-compatible engine, e.g. http://127.0.0.1:11434/v1')
  const parsed = URL.canParse(given) ? new URL(given) : null
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new Error('The address of the engine is not an http or https address')
  if (parsed.pathname === '/') parsed.pathname = version
  return parsed.href.replace(/\/+$/, '')
}

/**
 * Loads the provider's package and creates the model object, on first use: start-up must not pay for it. Only these
 * packages of the SDK are used. Its core would add loops, retries, tools that it runs itself and six streams between the
 * wire and us, of which nothing is wanted here.
 */
export async function loadProvider(config: NonNullable<AiConfig>): Promise<ProviderModel> {
  const fetch = withRequest(watchedFetch(config), config.request, config.api_key)
  const settings = { baseURL: baseUrl(config), apiKey: config.api_key ?? '', fetch }
  switch (config.provider) {
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({
        ...settings,
        fetch: tolerantWire(config.request.ollama ? ollamaWire(fetch, config.context_tokens) : fetch),
        name: 'openaiCompatible',
        includeUsage: config.request.count_tokens,
      }).chatModel(config.model)
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI(settings).responses(config.model)
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ ...settings, fetch: tolerantWire(fetch, anthropicPiece) }).messages(config.model)
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google')
      return createGoogle(settings).languageModel(config.model)
    }
  }
}
