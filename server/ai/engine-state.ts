import type { EngineState } from '../../contract/engines.ts'
import { iso, isoOrNull } from '../kernel/time.ts'
import type { AiConfig } from './engine-setting.ts'
import type { StoredEngine } from './stored-engine.ts'

/** What administrators see of the configured engine: everything but the key. */
export function toState(
  environment: AiConfig,
  stored: { readonly engine: StoredEngine; readonly updated_at: number } | null,
): EngineState {
  if (environment !== null) {
    const key = { configured: environment.api_key !== null, updated_at: null }
    return { source: 'environment', engine: shown(environment, key), updated_at: null, updated_by: null }
  }
  if (stored === null) return { source: 'none', engine: null, updated_at: null, updated_by: null }
  const { engine, updated_at } = stored
  const key = { configured: engine.sealed_key !== null, updated_at: isoOrNull(engine.key_updated_at) }
  return {
    source: 'settings',
    engine: shown(engine, key),
    updated_at: iso(updated_at),
    updated_by: engine.updated_by,
  }
}

function shown(
  engine: Omit<NonNullable<AiConfig>, 'api_key'>,
  api_key: { configured: boolean; updated_at: string | null },
): NonNullable<EngineState['engine']> {
  const { provider, base_url, model, context_tokens, price, timeout_ms, idle_timeout_ms } = engine
  return {
    provider,
    base_url,
    model,
    api_key,
    context_tokens,
    price: price && { input: price.input_micros / 1e6, output: price.output_micros / 1e6 },
    timeout_ms,
    idle_timeout_ms,
  }
}
