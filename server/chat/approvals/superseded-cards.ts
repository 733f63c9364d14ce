import type { ToolCallTable } from '../../db/rows/chat-tables.ts'
import type { Trx } from '../../db/database.ts'
import { type Bound, sameBound } from './approval-cards.ts'

/** How many cards of a call no longer held when it was to run. */
export async function supersededCards(
  trx: Trx,
  { tool_call_id }: Pick<ToolCallTable, 'tool_call_id'>,
): Promise<number> {
  const { count } = await trx
    .selectFrom('approval')
    .select((of) => of.fn.countAll<number | string>().as('count'))
    .where('tool_call_id', '=', tool_call_id)
    .where('status', '=', 'superseded')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Whether the newest superseded card of a call was bound to all the same, but for what it would change. */
export async function onlyPreviewDiffers(
  trx: Trx,
  { tool_call_id }: Pick<ToolCallTable, 'tool_call_id'>,
  bound: Bound,
): Promise<boolean> {
  const card = await trx
    .selectFrom('approval')
    .selectAll()
    .where('tool_call_id', '=', tool_call_id)
    .where('status', '=', 'superseded')
    .orderBy('approval_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return card !== undefined && sameBound({ ...card, preview_hash: bound.preview_hash }, bound)
}
