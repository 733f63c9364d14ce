import { LOCAL_HOST } from '../../contract/host-values.ts'
import { administrators } from '../accounts/users/administrators.ts'
import type { Activity } from '../chat/history/activity.ts'
import type { Trx } from '../db/database.ts'

/**
 * Tells everybody who sees a machine that it has changed, in the transaction of the change: all of them of the local one,
 * administrators of the others. `host_id` null: several of the others.
 */
export function tellHostChange(activity: Activity) {
  return async (trx: Trx, host_id: string | null): Promise<void> => {
    const user_ids = host_id === LOCAL_HOST ? await everybody(trx) : await administrators(trx)
    await activity.appendForEach(trx, user_ids, { type: 'host.changed', data: host_id === null ? {} : { host_id } })
  }
}

async function everybody(trx: Trx): Promise<string[]> {
  const rows = await trx
    .selectFrom('user')
    .select('user_id')
    .where('disabled_at', 'is', null)
    .orderBy('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}
