import { administrators } from '../accounts/users/administrators.ts'
import type { Activity } from '../chat/history/activity.ts'
import type { Database, Trx } from '../db/database.ts'
import type { LostConnection, LostConnections } from '../modules/connections/connectable.ts'
import { EVERYBODY, lostConnections } from '../modules/connections/connection-rows.ts'
import type { Notifications } from '../notifications/notifications.ts'

const LOST = 'connection_lost'
/** One notice for one connection: a later one of the same owner is another. */
const keyOf = ({ module, owner, connected_at }: LostConnection): string => `${module} ${owner} ${connected_at}`

/** Notifies every administrator that a module changed, in the transaction of the change or in a separate one. */
export function tellModuleChange(db: Database, activity: Activity) {
  return async (trx: Trx | null, module: string): Promise<void> => {
    const tell = async (within: Trx) =>
      activity.appendForEach(within, await administrators(within), { type: 'module.changed', data: { module } })
    await (trx === null ? db.transaction(tell) : tell(trx))
  }
}

interface ToldOfModules {
  readonly onChanged: (trx: Trx | null, module: string) => Promise<void>
  readonly lost: LostConnections
}

/** The same; and a lost connection is told to the person whose it was, or to the administrators. */
export function tellOfModules(db: Database, activity: Activity, notifications: Notifications): ToldOfModules {
  const { tell, end, whileHolds } = notifications
  whileHolds(LOST, async ({ ref_id, key }) =>
    (await lostConnections(db.read, ref_id)).some((connection) => keyOf(connection) === key),
  )
  /** Administrators are told of the change of the module after this, so all are locked in one order. */
  async function hold(trx: Trx, owners: readonly string[]): Promise<string[]> {
    const admins = await administrators(trx)
    const people = owners.filter((owner) => owner !== EVERYBODY)
    await activity.hold(trx, [...new Set([...admins, ...people])].toSorted())
    return admins
  }
  return {
    onChanged: tellModuleChange(db, activity),
    lost: {
      async tell(trx, connection) {
        const { module, owner } = connection
        const admins = await hold(trx, [owner])
        const [user_ids, path] =
          owner === EVERYBODY
            ? [admins, `/modules/${encodeURIComponent(module)}`]
            : [[owner], '/account?tab=connections']
        await tell(trx, { event: LOST, to: { user_ids }, ref_id: module, path, name: module, key: keyOf(connection) })
      },
      async end(trx, over) {
        if (over.length === 0) return
        await hold(
          trx,
          over.map(({ owner }) => owner),
        )
        for (const connection of over) await end(trx, { event: LOST, key: keyOf(connection) })
      },
    },
  }
}
