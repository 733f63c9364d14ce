import { LOCAL_HOST } from '../../contract/host-values.ts'
import { peopleInForce } from '../accounts/users/people-in-force.ts'
import type { Activity } from '../chat/history/activity.ts'
import type { Trx } from '../db/database.ts'

/**
 * Tells everybody who sees a machine that it has changed, in the transaction of the change: all of them of the local one,
 * of the others administrators, and whose role has a rule about machines. `host_id` null: several of the others.
 */
export function tellHostChange(activity: Activity) {
  return async (trx: Trx, host_id: string | null): Promise<void> => {
    const user_ids = host_id === LOCAL_HOST ? await everybody(trx) : await whoMaySee(trx)
    await activity.appendForEach(trx, user_ids, { type: 'host.changed', data: host_id === null ? {} : { host_id } })
  }
}

async function whoMaySee(trx: Trx): Promise<string[]> {
  const rows = await peopleInForce(trx)
    .where((user) =>
      user.or([
        user('role.admin', '=', 1),
        user('role.role_id', 'in', trx.selectFrom('role_rule').select('role_id').where('subject', 'like', 'host:%')),
      ]),
    )
    .execute()
  return rows.map(({ user_id }) => user_id)
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
