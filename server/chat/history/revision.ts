import type { Caller } from '../../../contract/route.ts'
import type { Database } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import type { Tools } from '../ports/tools.ts'
import { ACTIVE } from './active-runs.ts'

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
      from
        .selectFrom('run')
        .select(({ fn }) => fn.sum<number>('step').as('steps'))
        .where('user_id', '=', is.user_id)
        .where(ACTIVE)
        .as('steps'),
    ]
  }),
)

/**
 * Names the state of everything about conversations that the caller can be shown: it differs whenever an answer would.
 * It is the caller's newest event, because a change appends one in its own transaction, and what no event tells: the
 * session's current conversation, the language of sentences, the tools and what modules call them, the caller's own name
 * (on what they have decided), and calls that a step of a run has requested.
 */
export async function revisionOf(db: Database, tools: Pick<Tools, 'revision'>, caller: Caller): Promise<string> {
  const row = await NEWEST.first(db.read, { user_id: caller.user_id, session_id: caller.session_id })
  const { id, at, horizon, current, steps } = row!
  // The session is in answers, and another one's ETag must not fit, even while nothing has happened to either user.
  const { session_id, language } = caller
  const name = hashOf(caller.display_name).slice(0, 8)
  const event = [id ?? horizon ?? 0, (at ?? 0).toString(36), steps ?? 0]
  return [...event, current ?? '', session_id, language, tools.revision(), name].join('-')
}
