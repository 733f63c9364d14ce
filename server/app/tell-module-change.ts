import { administrators } from '../accounts/users/administrators.ts'
import type { Activity } from '../chat/history/activity.ts'
import type { Database, Trx } from '../db/database.ts'

/** Notifies every administrator that a module changed, in the transaction of the change or in a separate one. */
export function tellModuleChange(db: Database, activity: Activity) {
  return async (trx: Trx | null, module: string): Promise<void> => {
    const tell = async (within: Trx) =>
      activity.appendForEach(within, await administrators(within), { type: 'module.changed', data: { module } })
    await (trx === null ? db.transaction(tell) : tell(trx))
  }
}
