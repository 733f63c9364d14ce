import { sql } from 'kysely'
import type { Effect } from '../../../contract/route.ts'
import type { Reader } from '../../db/database.ts'
import { idAt } from '../../kernel/id.ts'
import { hashOf } from '../../kernel/text/canonical.ts'

export interface PastCall {
  readonly module: string
  readonly tool: string
  readonly title: string
  readonly decision: Effect
  readonly long: boolean
  readonly calls: number
  /** Epoch milliseconds. */
  readonly last_at: number
  readonly same: { readonly definition_hash: string; readonly tool_call_id: string } | null
  /** As in the row of the call. */
  readonly targets: string | null
}

/**
 * Only this many of the newest calls are examined, across all users, so that the cost does not grow with the history.
 */
const MOST = 20_000

/**
 * Counts of the calls that users with a role have made since `since` (epoch milliseconds) and how the policy decided
 * them; nothing of their contents. `long`: characters of arguments beyond which a call counts as long; `modules`: those
 * whose calls are told apart by definition and arguments, too.
 */
export async function pastCalls(
  reader: Reader,
  role_id: string,
  since: number,
  long: number,
  modules: readonly string[] = [],
): Promise<{ items: PastCall[]; partial: boolean }> {
  const apart = (column: 'definition_hash' | 'arguments_hash') =>
    modules.length === 0
      ? sql<string>`''`
      : sql<string>`case when module in (${sql.join(modules)}) then ${sql.ref(column)} else '' end`
  const newest = reader
    .selectFrom('tool_call')
    .select(['tool_call_id', 'run_id', 'module', 'tool', 'title', 'decision', 'targets'])
    .select([apart('definition_hash').as('definition'), apart('arguments_hash').as('same')])
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
    .select(['newest.module', 'newest.tool', 'newest.decision', 'newest.long', 'newest.definition'])
    .select('newest.targets')
    .select((row) => [
      row.fn.max('newest.title').as('title'),
      row.fn.max('newest.tool_call_id').as('tool_call_id'),
      row.fn.countAll<number>().as('calls'),
      row.fn.max('run.created_at').as('last_at'),
      row
        .selectFrom('newest as all')
        .select((all) => all.fn.countAll<number>().as('count'))
        .as('looked'),
    ])
    .where('user.role_id', '=', role_id)
    .groupBy(['newest.module', 'newest.tool', 'newest.decision', 'newest.long', 'newest.definition', 'newest.same'])
    .groupBy('newest.targets')
    .execute()
  return {
    items: rows.map(({ looked: _looked, definition, tool_call_id, ...row }) => ({
      ...row,
      same: definition === '' ? null : { definition_hash: definition, tool_call_id },
      long: Number(row.long) === 1,
      calls: Number(row.calls),
      last_at: Number(row.last_at),
    })),
    partial: rows.some(({ looked }) => Number(looked) > MOST),
  }
}

/**
 * The arguments of calls, by id. Those that were masked when they were stored are not what the call had, and are left
 * out.
 */
export async function pastArguments(
  reader: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  if (ids.length === 0) return new Map()
  const rows = await reader
    .selectFrom('tool_call')
    .select(['tool_call_id', 'arguments', 'arguments_hash'])
    .where('tool_call_id', 'in', ids)
    .execute()
  const read = rows.map(({ arguments: text, ...row }) => ({
    ...row,
    args: JSON.parse(text) as Record<string, unknown>,
  }))
  return new Map(
    read.filter((one) => hashOf(one.args) === one.arguments_hash).map(({ tool_call_id, args }) => [tool_call_id, args]),
  )
}
