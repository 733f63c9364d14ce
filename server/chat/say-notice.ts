import { addParts, noticePart } from './parts.ts'
import { runNotice } from './run-notices.ts'
import type { RunPorts } from './run-ports.ts'
import type { StoredRun } from './run-store.ts'

/** Says something about the run in its answer, while it goes on; the same thing, with the same detail, once. */
export async function sayNotice(
  { db, activity }: Pick<RunPorts, 'db' | 'activity'>,
  { row }: StoredRun,
  code: Parameters<typeof runNotice>[0],
  detail: string | null = null,
): Promise<void> {
  const data = runNotice(code, detail)
  await db.transaction(async (trx) => {
    await db.dialect.serialize(trx, `run:${row.run_id}`)
    const said = await trx
      .selectFrom('message_part')
      .select('part_index')
      .where('message_id', '=', row.output_message_id)
      .where('type', '=', 'notice')
      .where('data', '=', JSON.stringify(data))
      .executeTakeFirst()
    if (said) return
    await addParts(trx, row.output_message_id, row.step + 1, [noticePart(data)])
    const { conversation_id, run_id } = row
    await activity.append(trx, row.user_id, [
      { type: 'conversation.updated', conversation_id, run_id, data: { message_id: row.output_message_id } },
    ])
  })
}
