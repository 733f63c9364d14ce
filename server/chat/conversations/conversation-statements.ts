import { change, query } from '../../db/statement.ts'
import { ACTIVE } from '../history/active-runs.ts'

/** The statements with which conversations are found and continued. */

export const FIND = query((db, is: { user_id: string; conversation_id: string }) =>
  db
    .selectFrom('conversation')
    .selectAll()
    .where('conversation_id', '=', is.conversation_id)
    .where('user_id', '=', is.user_id)
    .where('deleted_at', 'is', null),
)

export const END = query((db, is: { user_id: string; conversation_id: string }) =>
  db
    .selectFrom('conversation')
    .leftJoin('message', 'message.message_id', 'conversation.head_message_id')
    .select(['conversation.conversation_id', 'title_source', 'head_message_id', 'engine_id', 'model', 'position'])
    .select(['handed_over_at', 'tool_modules'])
    .select((row) =>
      row
        .exists(
          row
            .selectFrom('run')
            .select('run_id')
            .whereRef('run.conversation_id', '=', 'conversation.conversation_id')
            .where(ACTIVE),
        )
        .as('active'),
    )
    .where('conversation.conversation_id', '=', is.conversation_id)
    .where('user_id', '=', is.user_id)
    .where('deleted_at', 'is', null),
)

/**
 * A name that its owner gives it at this moment stays. A call of an MCP client that a person goes on with is a
 * conversation like any other from then on, though an untrusted one. Nothing is found
 * once it is handed over, which locks the row.
 */
export const ADVANCE = change(
  (db, is: { conversation_id: string; head_message_id: string; name: string; now: number }) =>
    db
      .updateTable('conversation')
      .set((row) => ({
        title: row.case().when('title_source', '=', 'none').then(is.name).else(row.ref('title')).end(),
        title_source: row
          .case()
          .when('title_source', '=', 'none')
          .then('auto' as const)
          .else(row.ref('title_source'))
          .end(),
        head_message_id: is.head_message_id,
        updated_at: is.now,
        kind: row
          .case()
          .when('kind', '=', 'gateway')
          .then('chat' as const)
          .else(row.ref('kind'))
          .end(),
      }))
      .where('conversation_id', '=', is.conversation_id)
      .where('handed_over_at', 'is', null)
      .returning('title'),
)
