import type { Caller } from '../../../contract/route.ts'
import type { Database } from '../../db/database.ts'
import { query } from '../../db/statement.ts'

const NEWEST = query((db, is: { user_id: string; session_id: string }) =>
  db.selectNoFrom((from) => {
    const newest = from.selectFrom('event').where('user_id', '=', is.user_id).orderBy('id', 'desc').limit(1)
    return [
      newest.select('id').as('id'),
      // A number that is given again, after a restore, has another time.
      newest.select('at').as('at'),
      from.selectFrom('event_horizon').select('event_id').where('user_id', '=', is.user_id).as('horizon'),
      from
        .selectFrom('chat_session')
        .select('current_conversation_id')
        .where('session_id', '=', is.session_id)
        .as('current'),
    ]
  }),
)

/**
 * Names the state of everything about conversations that the caller can be shown: it differs whenever an answer would.
 * It is the caller's newest event, because every change appends one in its own transaction, and what no event tells:
 * the session's current conversation and the language of sentences.
 */
export async function revisionOf(db: Database, caller: Caller): Promise<string> {
  const row = await NEWEST.first(db.read, { user_id: caller.user_id, session_id: caller.session_id })
  const { id, at, horizon, current } = row!
  return [id ?? horizon ?? 0, (at ?? 0).toString(36), current ?? '', caller.language].join('-')
}
