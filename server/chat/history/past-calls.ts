import { sql } from 'kysely'
import type { Effect } from '../../../contract/route.ts'
import type { Reader } from '../../db/database.ts'
import { idAt } from '../../kernel/id.ts'

export interface PastCall {
  readonly module: string
  readonly tool: string
  readonly title: string
  readonly decision: Effect
  readonly long: boolean
  readonly calls: number
  /** Epoch milliseconds. */
  readonly last_at: number
}

/**
 * Only this many of the newest calls are examined, across all users, so that the cost does not grow with the history.
 */
const MOST = 20_000

/**
 * Counts of the calls that users with a role have made since `since` (epoch milliseconds) and how the policy decided
 * them; nothing of their contents. `long`: characters of arguments beyond which a call counts as long.
 */
export async function pastCalls(
  reader: Reader,
  role_id: string,
  since: number,
  long: number,
): Promise<{ items: PastCall[]; partial: boolean }> {
  const newest = reader
    .selectFrom('tool_call')
    .select(['run_id', 'module', 'tool', 'title', 'decision'])
    .select(sql<number>`case when length(arguments) > ${long} then 1 else 0 end`.as('long'))
    .where('tool_call_id', '>=', idAt('toolCall', since))
    // Without a basis, no policy decided it: the call was invalid or came with an imported conversation.
    .where('basis', '!=', '')
    .orderBy('tool_call_id', 'desc')
    .limit(MOST + 1)
  const rows = await reader
    .with('newest', () => newest)
    .selectFrom('newest')
    .innerJoin('run', 'run.run_id', 'newest.run_id')
    .innerJoin('user', 'user.user_id', 'run.user_id')
    .select(['newest.module', 'newest.tool', 'newest.decision', 'newest.long'])
    .select((row) => [
      row.fn.max('newest.title').as('title'),
      row.fn.countAll<number>().as('calls'),
      row.fn.max('run.created_at').as('last_at'),
      row
        .selectFrom('newest as all')
        .select((all) => all.fn.countAll<number>().as('count'))
        .as('looked'),
    ])
    .where('user.role_id', '=', role_id)
    .groupBy(['newest.module', 'newest.tool', 'newest.decision', 'newest.long'])
    .execute()
  return {
    items: rows.map(({ looked: _looked, ...row }) => ({
      ...row,
      long: Number(row.long) === 1,
      calls: Number(row.calls),
      last_at: Number(row.last_at),
    })),
    partial: rows.some(({ looked }) => Number(looked) > MOST),
  }
}
