import type { AiProvider } from './engine-setting.ts'

/** Where each provider wants its key, for requests that its package does not make. */
export function keyHeaders(provider: AiProvider, api_key: string | null): Record<string, string> {
  if (api_key === null) return {}
  if (provider === 'anthropic') return { 'x-api-key': api_key, 'anthropic-version': '2023-06-01' }
  if (provider === 'google') return { 'x-goog-api-key': api_key }
  return { authorization: `Bearer ${api_key}` }
}
