import type { EngineEntry, EngineState, ModelFact } from '../../contract/engines.ts'
import { toolBudget } from '../chat/ports/tool-budget.ts'
import { iso, isoOrNull } from '../kernel/time.ts'
import { type ModelFacts, NO_FACTS } from './facts/model-facts.ts'
import type { KnownEngine } from './known-engine.ts'

/** What administrators see of an engine: everything but the key. */
export function toEntry(engine: KnownEngine, isDefault: boolean): EngineEntry {
  return {
    engine_id: engine.engine_id,
    source: engine.source,
    name: engine.name,
    ...settingsOf(engine),
    models: [...engine.models],
    role_ids: [...engine.role_ids],
    default: isDefault,
    naming: engine.isNaming,
    fallback_id: engine.fallback_id,
    facts: engine.models.map((model) => ({ model, facts: factsShown(engine.facts.get(model) ?? NO_FACTS) })),
    updated_at: isoOrNull(engine.updated_at),
    updated_by: engine.updated_by,
  }
}

function factsShown(facts: ModelFacts): ModelFact[] {
  return [...facts].map(([fact, { against, ...own }]) => ({
    fact,
    ...own,
    found_at: iso(own.found_at),
    ...(against && { against: { ...against, found_at: iso(against.found_at) } }),
  }))
}

/** The same for the routes that know only one engine, the default. */
export function toState(engine: KnownEngine | null): EngineState {
  if (engine === null) return { source: 'none', engine: null, updated_at: null, updated_by: null }
  return {
    source: engine.source,
    engine: settingsOf(engine),
    updated_at: isoOrNull(engine.updated_at),
    updated_by: engine.updated_by,
  }
}

function settingsOf(engine: KnownEngine): NonNullable<EngineState['engine']> {
  const { provider, base_url, model, context_tokens, price, timeout_ms, idle_timeout_ms, request } = engine
  return {
    provider,
    base_url,
    model,
    api_key: { configured: engine.api_key !== null, updated_at: isoOrNull(engine.key_updated_at) },
    context_tokens,
    tool_tokens: toolBudget(context_tokens).tokens,
    price: price && { input: price.input_micros / 1e6, output: price.output_micros / 1e6 },
    timeout_ms,
    idle_timeout_ms,
    request,
  }
}
