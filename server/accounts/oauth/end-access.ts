import type { Database, Trx } from '../../db/database.ts'
import type { Audit } from '../audit/audit.ts'

/** Ends what a person has let a client do, and with it all that the client holds. `why`: who or what has ended it. */
export async function endAccess(
  trx: Trx,
  { db, audit }: { readonly db: Database; readonly audit: Audit },
  token_id: string,
  why: 'client' | 'reused' | 'unregistered',
): Promise<void> {
  const gone = await trx
    .deleteFrom('access_token')
    .where('token_id', '=', token_id)
    .where('client_id', 'is not', null)
    .returning(['name', 'client_id', 'user_id'])
    .executeTakeFirst()
  if (gone === undefined) return
  db.wake(trx, token_id)
  // What the client has begun is judged anew before it runs.
  db.wake(trx, 'rules')
  const { name, client_id, user_id } = gone
  // A secret that is used twice is known to somebody else as well.
  const outcome = why === 'reused' ? 'refused' : 'ok'
  await audit.record(trx, {
    actor: null,
    action: 'oauth.ended',
    target: token_id,
    outcome,
    details: { name, client_id, user_id, why },
  })
}
