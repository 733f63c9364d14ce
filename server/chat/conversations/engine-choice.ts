import type { ConversationTable } from '../../db/rows/chat-tables.ts'
import type { Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import type { EngineChoice, Model } from '../ports/model.ts'

type Columns = Pick<ConversationTable, 'engine_id' | 'model'>

/** What the owner of a conversation chose to answer in it; null: the default. */
export function choiceOf({ engine_id, model }: Columns): EngineChoice | null {
  return engine_id === null ? null : { engine_id, model: model ?? '' }
}

export function columnsOf(choice: EngineChoice | null): Columns {
  return { engine_id: choice?.engine_id ?? null, model: choice?.model ?? null }
}

/** @throws {AppError} engine_not_allowed, also for an engine or a model that does not exist */
export function checkChoice(model: Pick<Model, 'options'>, role_id: string, choice: EngineChoice): void {
  const option = model.options(role_id).find(({ engine_id }) => engine_id === choice.engine_id)
  if (option === undefined)
    throw new AppError('engine_not_allowed', say`There is no such engine, or your role may not use it.`)
  if (!option.models.includes(choice.model))
    throw new AppError('engine_not_allowed', say`${option.name} does not offer this model.`)
}

/** Remembers what answers in a conversation from now on; null: the default. */
export async function storeChoice(trx: Trx, conversation_id: string, choice: EngineChoice | null): Promise<void> {
  await trx.updateTable('conversation').set(columnsOf(choice)).where('conversation_id', '=', conversation_id).execute()
}
