import type { Caller } from '../../../contract/route.ts'
import type { Database, Trx } from '../../db/database.ts'
import type { AccountsContext } from '../accounts-context.ts'
import { loadCaller, loadCallers } from './load-caller.ts'

/** Those who keep listening on an open stream: whether they still may, and when to ask. */

/** Sessions or tokens looked up by one query: others have their turn in between. */
const LOADED_AT_ONCE = 500

/** Whether each session or token is still valid, its user enabled, and the role unchanged. One query for hundreds. */
export async function stillValid({ db, clock }: AccountsContext, callers: readonly Caller[]): Promise<boolean[]> {
  const now = clock()
  const found = new Map<string, Caller>()
  const [only] = callers
  if (callers.length === 1) {
    const { kind, session_id } = only!
    const signIn = kind === 'routine' ? null : await loadCaller(db, { kind, session_id }, now)
    if (signIn) found.set(session_id, signIn.caller)
  } else {
    for (const kind of ['session', 'token'] as const) {
      const ids = callers.filter((caller) => caller.kind === kind).map(({ session_id }) => session_id)
      for (let i = 0; i < ids.length; i += LOADED_AT_ONCE) {
        const some = await loadCallers(db, kind, ids.slice(i, i + LOADED_AT_ONCE), now)
        for (const [id, caller] of some) found.set(id, caller)
      }
    }
  }
  return callers.map(({ session_id, user_id, role_id }) => {
    const current = found.get(session_id)
    return current?.user_id === user_id && current.role_id === role_id
  })
}

/** Calls `listener` when this session or token is ended, or something about its user that may end it changes. */
export function onDoubt({ db }: AccountsContext, { session_id, user_id }: Caller, listener: () => void): () => void {
  const off = [db.onWake(session_id, listener), db.onWake(signInsTopic(user_id), listener)]
  return () => off.forEach((stop) => stop())
}

/**
 * Makes every open stream of the user check whether it may go on, and every call of theirs be judged anew before it starts,
 * once `trx` is committed.
 */
export function doubtSignIns(db: Database, trx: Trx, user_id: string): void {
  db.wake(trx, 'rules')
  db.wake(trx, signInsTopic(user_id))
}

function signInsTopic(user_id: string): string {
  return `sign-ins:${user_id}`
}
