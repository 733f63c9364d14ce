import { type EngineRequest, ENVIRONMENT_ENGINE } from '../../../contract/engines.ts'
import type { Trx } from '../../db/database.ts'
import type { ModelFactTable } from '../../db/rows/engine-tables.ts'
import type { AiProvider } from '../engine-setting.ts'
import { baseUrl } from '../load-provider.ts'
import type { FactName, FactSource } from './model-facts.ts'

export interface FactAbout {
  readonly engine_id: string
  readonly model: string
  readonly place: string
}

/** A fact, or that there is none: null. */
export type FactValues = Partial<Record<FactName, number | null>>

export interface Place {
  readonly provider: AiProvider
  readonly base_url: string | null
  readonly request: Pick<EngineRequest, 'ollama'>
}

/** What a fact is about besides its model: another address leads to another engine, another wire may take other things. */
export function placeOf(engine: Place): string {
  return `${engine.request.ollama ? 'ollama' : engine.provider} ${baseUrl(engine)}`
}

/**
 * Whether an engine still is what its facts were found of: another model of that name, or another place, may have been saved
 * while it was asked. To be called where no other change of engines can come in between.
 */
export async function isStillThere(trx: Trx, { engine_id, model, place }: FactAbout): Promise<boolean> {
  // What the environment sets stays as it is for as long as the process runs.
  if (engine_id === ENVIRONMENT_ENGINE) return true
  const row = await trx
    .selectFrom('engine')
    .select(['provider', 'base_url', 'ollama', 'models'])
    .where('engine_id', '=', engine_id)
    .executeTakeFirst()
  if (row === undefined || !(JSON.parse(row.models) as string[]).includes(model)) return false
  return placeOf({ ...row, request: { ollama: row.ollama === 1 } }) === place
}

/** Stores what one source says of a model, instead of what it said of these facts before. */
export async function writeFacts(
  trx: Trx,
  { engine_id, model, place }: FactAbout,
  source: FactSource,
  values: FactValues,
): Promise<void> {
  const found_at = Date.now()
  for (const [fact, value] of Object.entries(values) as [FactName, number | null][]) {
    await trx
      .deleteFrom('model_fact')
      .where('engine_id', '=', engine_id)
      .where('model', '=', model)
      .where('fact', '=', fact)
      .where('source', '=', source)
      .execute()
    if (value === null) continue
    const row: ModelFactTable = { engine_id, model, fact, source, place, value, found_at }
    await trx
      .insertInto('model_fact')
      .values(row)
      .onConflict((conflict) => conflict.columns(['engine_id', 'model', 'fact', 'source']).doUpdateSet(row))
      .execute()
  }
}

/** What was found of a model by itself; what an administrator has set stays. */
export async function forgetFound(trx: Trx, { engine_id, model }: Omit<FactAbout, 'place'>): Promise<void> {
  await trx
    .deleteFrom('model_fact')
    .where('engine_id', '=', engine_id)
    .where('model', '=', model)
    .where('source', '!=', 'set')
    .execute()
}

/** All that is known of other models than these, or of other places. */
export async function keepFactsOf(
  trx: Trx,
  engine_id: string,
  kept: { readonly place: string; readonly models: readonly string[] },
): Promise<void> {
  await trx
    .deleteFrom('model_fact')
    .where('engine_id', '=', engine_id)
    .where((is) => is.or([is('place', '!=', kept.place), is('model', 'not in', kept.models)]))
    .execute()
}
