import type { Trx } from '../../db/database.ts'

/** Ends the approvals for later calls of the tools of a module that is being removed. */
export async function endGrants(trx: Trx, module: string): Promise<void> {
  await trx.deleteFrom('approval_grant').where('kind', '!=', 'permission').where('module', '=', module).execute()
}
