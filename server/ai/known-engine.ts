import { EngineRequest, ENVIRONMENT_ENGINE } from '../../contract/engines.ts'
import type { EngineTable } from '../db/rows/engine-tables.ts'
import { SealError, type Vault } from '../kernel/vault.ts'
import type { EngineSetting } from './engine-setting.ts'
import type { ModelFacts } from './facts/model-facts.ts'

export const KEY_PURPOSE = 'ai engine key'

/** An engine that may answer. Contains the key: never logged. */
export interface KnownEngine extends EngineSetting {
  readonly engine_id: string
  readonly source: 'environment' | 'settings'
  readonly name: string
  /** `model`, and the others that may be chosen. */
  readonly models: readonly string[]
  /** Empty: everybody. */
  readonly role_ids: readonly string[]
  readonly isDefault: boolean
  readonly isNaming: boolean
  /** What answers where it does not; null: nothing. */
  readonly fallback_id: string | null
  /** What is known of its models. */
  readonly facts: ReadonlyMap<string, ModelFacts>
  readonly key_updated_at: number | null
  readonly updated_at: number | null
  readonly updated_by: string | null
}

/** The engine that the environment sets, which is the default. */
export function environmentEngine(setting: EngineSetting): KnownEngine {
  return {
    ...setting,
    engine_id: ENVIRONMENT_ENGINE,
    source: 'environment',
    name: setting.model,
    models: [setting.model],
    role_ids: [],
    isDefault: true,
    isNaming: false,
    fallback_id: null,
    facts: new Map(),
    key_updated_at: null,
    updated_at: null,
    updated_by: null,
  }
}

/**
 * A saved engine. One whose key was sealed with another secret key has none: the service starts and reports what is
 * missing.
 */
export function savedEngine(row: EngineTable, vault: Vault, onError: (error: unknown) => void): KnownEngine {
  const { name_folded: _, sealed_key, price, is_default, is_naming, ollama, ...fields } = row
  const api_key = opened(sealed_key, vault, onError)
  return {
    ...fields,
    source: 'settings',
    api_key,
    key_updated_at: api_key === null ? null : row.key_updated_at,
    price: price === null ? null : (JSON.parse(price) as EngineSetting['price']),
    models: JSON.parse(row.models) as string[],
    role_ids: JSON.parse(row.role_ids) as string[],
    request: { ...EngineRequest.parse(JSON.parse(row.request)), ollama: ollama === 1 },
    isDefault: is_default === 1,
    isNaming: is_naming === 1,
    facts: new Map(),
  }
}

function opened(sealed: string | null, vault: Vault, onError: (error: unknown) => void): string | null {
  if (sealed === null) return null
  try {
    return vault.open(KEY_PURPOSE, sealed)
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    onError(error)
    return null
  }
}
