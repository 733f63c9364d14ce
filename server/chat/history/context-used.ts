import type { Reader } from '../../db/database.ts'
import { query } from '../../db/statement.ts'

const LAST_STEP = query((db, is: { message_id: string }) =>
  db
    .selectFrom('message')
    .innerJoin('step', 'step.run_id', 'message.run_id')
    .select(['step.input_tokens', 'step.output_tokens'])
    .where('message.message_id', '=', is.message_id)
    .where('step.kind', '=', 'model')
    .orderBy('step.step', 'desc')
    .limit(1),
)

/**
 * Tokens of the last request of the answer that a conversation ends with, and of what came back: what the next one begins
 * with. Null where no engine took part, or its provider does not count.
 */
export async function contextUsed(reader: Reader, head_message_id: string | null): Promise<number | null> {
  if (head_message_id === null) return null
  const step = await LAST_STEP.first(reader, { message_id: head_message_id })
  return step === undefined || step.input_tokens === 0 ? null : step.input_tokens + step.output_tokens
}
