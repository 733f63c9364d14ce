import type { Trx } from '../../db/database.ts'
import { addParts, noticePart } from '../history/parts.ts'
import { runNotice } from '../history/run-notices.ts'
import type { Step } from '../run/step.ts'

type Code = Parameters<typeof runNotice>[0]

/**
 * Adds a notice to the answer while the run continues; the same notice with the same detail only once.
 * @throws {LostLease}
 */
export function sayNotice(step: Step, code: Code, detail: string | null = null): Promise<void> {
  return step.store.write(step, (trx) => addNotice(trx, step, code, detail))
}

/** The same, within a transaction under the run's lease. */
export async function addNotice(
  trx: Trx,
  { activity, run: { row } }: Pick<Step, 'activity' | 'run'>,
  code: Code,
  detail: string | null,
): Promise<void> {
  const data = runNotice(code, detail)
  const said = await trx
    .selectFrom('message_part')
    .select('part_index')
    .where('message_id', '=', row.output_message_id)
    .where('type', '=', 'notice')
    .where('data', '=', JSON.stringify(data))
    .executeTakeFirst()
  if (said) return
  const { conversation_id, run_id, output_message_id: message_id } = row
  await addParts(trx, { conversation_id, message_id }, row.step + 1, [noticePart(data)])
  await activity.append(trx, row.user_id, [
    { type: 'conversation.updated', conversation_id, run_id, data: { message_id } },
  ])
}
