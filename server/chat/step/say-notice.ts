import type { Notice } from '../../../contract/chat.ts'
import type { Trx } from '../../db/database.ts'
import { addParts, noticePart } from '../history/parts.ts'
import { runNotice } from '../history/run-notices.ts'
import type { Engine } from '../ports/model.ts'
import type { Step } from '../run/step.ts'

type Code = Parameters<typeof runNotice>[0]
type Telling = Pick<Step, 'activity' | 'run'>

/**
 * Adds a notice to the answer while the run continues; the same notice with the same detail only once.
 * @throws {LostLease}
 */
export function sayNotice(step: Step, code: Code, detail: string | null = null): Promise<void> {
  return step.store.write(step, (trx) => addNotice(trx, step, code, detail))
}

/** The same, within a transaction under the run's lease. */
export async function addNotice(trx: Trx, step: Telling, code: Code, detail: string | null): Promise<void> {
  const notice = runNotice(code, detail)
  const said = await trx
    .selectFrom('message_part')
    .select('part_index')
    .where('message_id', '=', step.run.row.output_message_id)
    .where('type', '=', 'notice')
    .where('data', '=', JSON.stringify(notice))
    .executeTakeFirst()
  if (!said) await append(trx, step, notice)
}

/**
 * Says that a model takes no tools: in the first answer that it gives in a conversation.
 * @throws {LostLease}
 */
export async function sayWithoutTools(step: Step, { name, model }: Pick<Engine, 'name' | 'model'>): Promise<void> {
  const { run_id, conversation_id, step: past } = step.run.row
  if (past > 0) return
  const before = await step.db.read
    .selectFrom('run')
    .select(['engine', 'model'])
    .where('conversation_id', '=', conversation_id)
    .where('run_id', '!=', run_id)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (before?.engine !== name || before?.model !== model) await sayNotice(step, 'engine_no_tools', model)
}

/**
 * Says for how long the run waits for its engine: one notice of a kind for each step, however often it has to.
 * @throws {LostLease}
 */
export function sayWait(step: Step, notice: Notice): Promise<void> {
  return step.store.write(step, async (trx) => {
    const { output_message_id, step: past } = step.run.row
    const { numUpdatedRows } = await trx
      .updateTable('message_part')
      .set({ data: JSON.stringify(notice) })
      .where('message_id', '=', output_message_id)
      .where('step', '=', past + 1)
      .where('type', '=', 'notice')
      .where('data', 'like', `%"code":"${notice.code}"%`)
      .executeTakeFirst()
    await (numUpdatedRows > 0n ? tell(trx, step) : append(trx, step, notice))
  })
}

async function append(trx: Trx, step: Telling, notice: Notice): Promise<void> {
  const { conversation_id, output_message_id: message_id, step: past } = step.run.row
  await addParts(trx, { conversation_id, message_id }, past + 1, [noticePart(notice)])
  await tell(trx, step)
}

async function tell(trx: Trx, { activity, run: { row } }: Telling): Promise<void> {
  const { conversation_id, run_id, output_message_id: message_id } = row
  await activity.append(trx, row.user_id, [
    { type: 'conversation.updated', conversation_id, run_id, data: { message_id } },
  ])
}
