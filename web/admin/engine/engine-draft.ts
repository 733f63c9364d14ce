import { ENGINE_PRESETS, type EnginePreset, type EngineProvider } from '../../../contract/engine-presets.ts'
import type { EngineEntry } from '../../../contract/engines.ts'
import {
  type RequestDraft,
  requestDraftOf,
  type RequestFault,
  requestFaults,
  requestOf,
  USUAL_REQUEST,
} from './request-draft.ts'

/** The form as typed. */
export interface EngineDraft extends RequestDraft {
  /** Empty: called like its model. */
  readonly name: string
  readonly provider: EngineProvider
  readonly base_url: string
  readonly model: string
  /** Further models that may be chosen. */
  readonly models: readonly string[]
  /** Empty: everybody. */
  readonly role_ids: readonly string[]
  readonly default: boolean
  readonly naming: boolean
  /** The engine that stands in for it; empty: none. */
  readonly fallback_id: string
  /** undefined: the stored key stays. Empty: no key. */
  readonly api_key: string | undefined
  readonly context_tokens: string
  readonly price_input: string
  readonly price_output: string
  /** Seconds. */
  readonly timeout: string
  readonly idle_timeout: string
}
export type EngineFault = 'address' | 'model' | 'context' | 'price' | 'price_pair' | 'timeout' | RequestFault

const FIRST = ENGINE_PRESETS[0]!

export function engineDraftOf(engine: EngineEntry | null): EngineDraft {
  if (engine === null) return withPreset({ ...EMPTY, api_key: '' }, FIRST)
  return {
    name: engine.name,
    provider: engine.provider,
    base_url: engine.base_url ?? '',
    model: engine.model,
    models: engine.models.filter((model) => model !== engine.model),
    role_ids: engine.role_ids,
    default: engine.default,
    naming: engine.naming,
    fallback_id: engine.fallback_id ?? '',
    api_key: engine.api_key.configured ? undefined : '',
    context_tokens: String(engine.context_tokens),
    price_input: engine.price === null ? '' : String(engine.price.input),
    price_output: engine.price === null ? '' : String(engine.price.output),
    timeout: String(engine.timeout_ms / 1000),
    idle_timeout: String(engine.idle_timeout_ms / 1000),
    ...requestDraftOf(engine.request),
  }
}

const EMPTY: EngineDraft = {
  ...USUAL_REQUEST,
  fallback_id: '',
  name: '',
  models: [],
  role_ids: [],
  default: false,
  naming: false,
  provider: FIRST.provider,
  base_url: '',
  model: '',
  api_key: '',
  context_tokens: '128000',
  price_input: '',
  price_output: '',
  timeout: '120',
  idle_timeout: '60',
}

/** The form for another provider: everything that belonged to the previous one is cleared, above all its key. */
export function withPreset(draft: EngineDraft, preset: EnginePreset): EngineDraft {
  return {
    ...draft,
    ...USUAL_REQUEST,
    ollama: preset.id === 'ollama',
    provider: preset.provider,
    base_url: preset.base_url ?? '',
    model: '',
    models: [],
    api_key: '',
    context_tokens: String(preset.context_tokens),
    price_input: '',
    price_output: '',
  }
}

/** Where Ollama listens, whichever machine it is on. */
const OLLAMA_PORT = '11434'

/** The form at another address: one that leads to or away from Ollama's port says whether it is Ollama. */
export function withAddress(draft: EngineDraft, base_url: string): EngineDraft {
  const [before, after] = [draft.base_url, base_url].map(
    (url) => URL.canParse(url) && new URL(url).port === OLLAMA_PORT,
  )
  return { ...draft, base_url, ollama: before === after ? draft.ollama : after! }
}

/** The preset that the form matches, if any. */
export function presetOf({ provider, base_url }: Pick<EngineDraft, 'provider' | 'base_url'>): EnginePreset | null {
  return (
    ENGINE_PRESETS.find((preset) => preset.provider === provider && (preset.base_url ?? '') === base_url.trim()) ?? null
  )
}

export function faultsOf(draft: EngineDraft): ReadonlySet<EngineFault> {
  const faults = new Set<EngineFault>(requestFaults(draft))
  const address = draft.base_url.trim()
  if (address === '' ? draft.provider === 'openai-compatible' : !isWebAddress(address)) faults.add('address')
  if (draft.model.trim() === '') faults.add('model')
  const context = numberOf(draft.context_tokens)
  if (context === null || !Number.isInteger(context) || context < 2000 || context > 10_000_000) faults.add('context')
  const prices = [draft.price_input, draft.price_output]
  if (prices.some((price) => price.trim() !== '' && !((numberOf(price) ?? -1) >= 0))) faults.add('price')
  if (prices.filter((price) => price.trim() === '').length === 1) faults.add('price_pair')
  for (const seconds of [draft.timeout, draft.idle_timeout]) {
    const value = numberOf(seconds)
    if (value === null || value < 0.1 || value > 3600) faults.add('timeout')
  }
  return faults
}

export function connectionOf(draft: EngineDraft) {
  const { provider, base_url, api_key } = draft
  return {
    provider,
    base_url: base_url.trim() === '' ? null : base_url.trim(),
    ...(requestFaults(draft).length === 0 && { request: requestOf(draft) }),
    ...(api_key === undefined ? {} : { api_key: api_key.trim() === '' ? null : api_key.trim() }),
  }
}

/** What Ollama loads the model with; nothing while it is not usable. */
export function contextOf(draft: EngineDraft): { context_tokens?: number } {
  return faultsOf(draft).has('context') ? {} : { context_tokens: numberOf(draft.context_tokens) ?? 0 }
}

/** What is saved; only for a draft without faults. */
export function engineRequestOf(draft: EngineDraft) {
  const input = numberOf(draft.price_input)
  const output = numberOf(draft.price_output)
  return {
    ...connectionOf(draft),
    name: draft.name.trim() === '' ? draft.model.trim() : draft.name.trim(),
    model: draft.model.trim(),
    models: draft.models.flatMap((model) => model.trim() || []),
    role_ids: [...draft.role_ids],
    default: draft.default,
    naming: draft.naming,
    fallback_id: draft.fallback_id === '' ? null : draft.fallback_id,
    context_tokens: numberOf(draft.context_tokens) ?? 0,
    price: input === null || output === null ? null : { input, output },
    timeout_ms: Math.round((numberOf(draft.timeout) ?? 0) * 1000),
    idle_timeout_ms: Math.round((numberOf(draft.idle_timeout) ?? 0) * 1000),
  }
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/** Accepts `1.5` and `1,5`; null for anything else. */
function numberOf(text: string): number | null {
  const plain = text.trim().replace(',', '.')
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : null
}
