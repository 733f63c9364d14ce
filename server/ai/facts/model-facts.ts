import type { ModelAbilities } from '../../chat/ports/model.ts'
import type { ModelFactTable } from '../../db/rows/engine-tables.ts'

export type FactName = ModelFactTable['fact']
export type FactSource = ModelFactTable['source']

/** A value, where it is known from, and since when (ms). */
interface Found<Source extends FactSource> {
  readonly value: number
  readonly source: Source
  readonly found_at: number
}

export interface Fact extends Found<FactSource> {
  /** What was found and contradicts what is set. */
  readonly against?: Found<Exclude<FactSource, 'set'>>
}

/** What is known of one model; what is not in it is unknown. */
export type ModelFacts = ReadonlyMap<FactName, Fact>

export const NO_FACTS: ModelFacts = new Map()

/** The word of an administrator first, then what has shown itself, the latest of it first; what an engine says of itself last. */
const WEIGHT: Record<FactSource, number> = { set: 2, tried: 1, learned: 1, told: 0 }

/** By model, of the facts of one engine. */
export function factsByModel(rows: readonly ModelFactTable[]): ReadonlyMap<string, ModelFacts> {
  const byModel = Map.groupBy(rows, ({ model }) => model)
  return new Map(
    [...byModel].map(([model, own]) => {
      const byName = Map.groupBy(own, ({ fact }) => fact)
      return [model, new Map([...byName].map(([name, all]) => [name, weighed(name, all)]))]
    }),
  )
}

/** `rows`: at least one, of one source each. */
function weighed(name: FactName, rows: readonly ModelFactTable[]): Fact {
  const [first, second] = rows
    .map(({ value, source, found_at }) => ({ value: Number(value), source, found_at: Number(found_at) }))
    .sort((one, other) => WEIGHT[other.source] - WEIGHT[one.source] || other.found_at - one.found_at)
  if (first!.source !== 'set' || second === undefined) return first!
  // Fewer tokens than a model takes contradict nothing.
  const contradicts = name === 'context' ? second.value < first!.value : second.value !== first!.value
  return contradicts
    ? { ...first!, against: { ...second, source: second.source as Exclude<FactSource, 'set'> } }
    : first!
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
