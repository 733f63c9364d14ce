import type { ModelAbilities } from '../../chat/ports/model.ts'
import type { ModelFactTable } from '../../db/rows/engine-tables.ts'

export type FactName = ModelFactTable['fact']
export type FactSource = ModelFactTable['source']

/** A value, where it is known from, and since when (ms). */
export interface Fact {
  readonly value: number
  readonly source: FactSource
  readonly found_at: number
}

/** What is known of one model; what is not in it is unknown. */
export type ModelFacts = ReadonlyMap<FactName, Fact>

export const NO_FACTS: ModelFacts = new Map()

/** The word of an administrator first, then what has shown itself, the latest of it first; what an engine says of itself last. */
const WEIGHT: Record<FactSource, number> = { set: 2, tried: 1, learned: 1, told: 0 }

/** By model, of the facts of one engine. */
export function factsByModel(rows: readonly ModelFactTable[]): ReadonlyMap<string, ModelFacts> {
  const models = new Map<string, Map<FactName, Fact>>()
  for (const { model, fact, value, source, found_at } of rows) {
    const facts = models.get(model) ?? new Map<FactName, Fact>()
    models.set(model, facts)
    const found = { value: Number(value), source, found_at: Number(found_at) }
    const known = facts.get(fact)
    if (known === undefined || outweighs(found, known)) facts.set(fact, found)
  }
  return models
}

function outweighs(one: Fact, other: Fact): boolean {
  const by = WEIGHT[one.source] - WEIGHT[other.source]
  return by === 0 ? one.found_at > other.found_at : by > 0
}

export function abilitiesOf(facts: ModelFacts): ModelAbilities {
  const is = (name: FactName): boolean | null => {
    const fact = facts.get(name)
    return fact === undefined ? null : fact.value === 1
  }
  return { tools: is('tools'), pictures: is('pictures'), tool_pictures: is('tool_pictures') }
}

/** Below this a context is no place for a conversation: it was misread. */
const LEAST_CONTEXT = 512

/** The tokens of a request: as they are set, or as few as the model takes. */
export function contextOf(set: number, facts: ModelFacts): number {
  return contextWithin(set, facts.get('context')?.value ?? set)
}

export function contextWithin(set: number, found: number): number {
  return found < LEAST_CONTEXT ? set : Math.min(set, found)
}
