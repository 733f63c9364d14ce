import { sql } from 'kysely'
import type { Reader } from '../../db/database.ts'
import type { MessageRow } from '../../db/rows/chat-tables.ts'
import { query } from '../../db/statement.ts'

/**
 * Messages form a tree: messages that follow the same one are alternatives. A branch is read from its end back to its
 * beginning; each step is one primary-key lookup, so a page costs the same in a conversation of any length.
 */
export async function walkBack(reader: Reader, from: string | null, limit: number): Promise<MessageRow[]> {
  return from === null ? [] : PATH_BACK.all(reader, { from, limit })
}

const PATH_BACK = query((db, is: { from: string; limit: number }) =>
  db
    .withRecursive('path', (path) =>
      path
        .selectFrom('message')
        .selectAll('message')
        .select((message) => message.lit(1).as('n'))
        .where('message_id', '=', is.from)
        .unionAll(
          path
            .selectFrom('path')
            .innerJoin('message', 'message.message_id', 'path.parent_id')
            .selectAll('message')
            .select((row) => row('path.n', '+', 1).as('n'))
            .where('path.n', '<', is.limit),
        ),
    )
    .selectFrom('path')
    .select([
      'message_id',
      'conversation_id',
      'parent_id',
      'position',
      'role',
      'status',
      'run_id',
      'created_at',
      'imported',
    ])
    .orderBy('n'),
)

/** The newest end of the branch that a message is on. */
export async function newestEnd(reader: Reader, conversation_id: string, message_id: string): Promise<string> {
  const { rows } = await sql<{ message_id: string }>`
    with recursive path as (
      select cast(${message_id} as text) as message_id, 1 as n
      union all
      select (
        select max(m.message_id) from message m
        where m.conversation_id = ${conversation_id} and m.parent_id = path.message_id
      ), path.n + 1
      from path where path.message_id is not null
    )
    select message_id from path where message_id is not null order by n desc limit 1`.execute(reader)
  return rows[0]!.message_id
}

/** Those of `ids` that lie on the path from a message back to the first. */
export async function onTheWay(reader: Reader, from: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{ message_id: string }>`
    with recursive path as (
      select message_id, parent_id from message where message_id = ${from}
      union all
      select m.message_id, m.parent_id from path join message m on m.message_id = path.parent_id
    )
    select message_id from path where message_id in (${sql.join(ids)})`.execute(reader)
  return new Set(rows.map((row) => row.message_id))
}

/** The alternatives of each message, itself included, oldest first; only for messages that have any. */
export async function siblings(reader: Reader, rows: readonly MessageRow[]): Promise<Map<string, string[]>> {
  if (rows.length === 0) return new Map()
  const parents = [...new Set(rows.flatMap((row) => row.parent_id ?? []))]
  const found = await reader
    .selectFrom('message')
    .select(['message_id', 'parent_id'])
    .where('conversation_id', '=', rows[0]!.conversation_id)
    .where((eb) =>
      eb.or([
        ...(parents.length > 0 ? [eb('parent_id', 'in', parents)] : []),
        ...(rows.some((row) => row.parent_id === null) ? [eb('parent_id', 'is', null)] : []),
      ]),
    )
    .orderBy('message_id')
    .execute()
  const result = new Map<string, string[]>()
  for (const group of Map.groupBy(found, (row) => row.parent_id).values()) {
    if (group.length < 2) continue
    const ids = group.map((row) => row.message_id)
    for (const id of ids) result.set(id, ids)
  }
  return result
}
