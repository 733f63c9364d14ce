import { sql } from 'kysely'
import type { Effect } from '../../../contract/route.ts'
import type { Reader } from '../../db/database.ts'
import { idAt } from '../../kernel/id.ts'

/** Only this many of the newest calls of all tools are looked through, so that the cost does not grow with the history. */
const LOOKED_THROUGH = 20_000
/** Calls of the tool with different arguments. */
const MOST = 1000
/** Characters of arguments; calls with more are left out, because many are in memory at once. */
const LENGTH = 16_384

/** Calls of one tool with the same arguments. */
export interface CallOfTool {
  /** Of the newest one, if possible of one whose arguments the reader may see. */
  readonly tool_call_id: string
  readonly username: string
  readonly decision: Effect
  /** Epoch milliseconds. */
  readonly at: number
  /** The audit log shows the arguments of such a call, or the reader has made it. */
  readonly visible: boolean
  readonly calls: number
  /** As in the row of the call. */
  readonly targets: string | null
}

/**
 * The newest calls of a tool since `since` (epoch milliseconds), by anybody, whether they ran or not: one of each that have
 * the same arguments, the newest first. Of a tool that only reads, the audit log shows arguments only where the role keeps
 * all reads. `partial`: there were more.
 */
export async function callsOfTool(
  reader: Reader,
  about: { readonly module: string; readonly tool: string; readonly since: number; readonly reader_id: string },
): Promise<{ items: CallOfTool[]; partial: boolean }> {
  const newest = reader
    .selectFrom('tool_call')
    .select(['tool_call_id', 'run_id', 'module', 'tool', 'effect', 'decision', 'arguments_hash', 'targets'])
    .select(sql<number>`length(arguments)`.as('length'))
    .where('tool_call_id', '>=', idAt('toolCall', about.since))
    // Without a basis, no policy decided it: the call was invalid or came with an imported conversation.
    .where('basis', '!=', '')
    .orderBy('tool_call_id', 'desc')
    .limit(LOOKED_THROUGH + 1)
  const visible = sql<number>`case when newest.effect <> 'read' or role.audit_reads = 'full'
    or run.user_id = ${about.reader_id} then 1 else 0 end`
  const rows = await reader
    .with('newest', () => newest)
    .with('of_tool', (db) =>
      db
        .selectFrom('newest')
        .innerJoin('run', 'run.run_id', 'newest.run_id')
        .innerJoin('user', 'user.user_id', 'run.user_id')
        .innerJoin('role', 'role.role_id', 'user.role_id')
        .select(['newest.tool_call_id', 'newest.decision', 'newest.targets', 'run.created_at as at', 'user.username'])
        .select([
          visible.as('visible'),
          sql<number>`row_number() over (partition by newest.arguments_hash, newest.targets
            order by ${visible} desc, newest.tool_call_id desc)`.as('place'),
          sql<number>`count(*) over (partition by newest.arguments_hash, newest.targets)`.as('calls'),
        ])
        .where('newest.module', '=', about.module)
        .where('newest.tool', '=', about.tool)
        .where('newest.length', '<=', LENGTH),
    )
    .selectFrom('of_tool')
    .select(['tool_call_id', 'decision', 'at', 'username', 'visible', 'calls', 'targets'])
    .select((row) =>
      row
        .selectFrom('newest as all')
        .select((all) => all.fn.countAll<number>().as('count'))
        .as('looked'),
    )
    .where('place', '=', 1)
    .orderBy('tool_call_id', 'desc')
    .limit(MOST + 1)
    .execute()
  return {
    items: rows.slice(0, MOST).map(({ looked: _looked, ...row }) => ({
      ...row,
      at: Number(row.at),
      calls: Number(row.calls),
      visible: Number(row.visible) === 1,
    })),
    partial: rows.length > MOST || rows.some(({ looked }) => Number(looked) > LOOKED_THROUGH),
  }
}
