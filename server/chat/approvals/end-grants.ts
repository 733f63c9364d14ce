import type { Trx } from '../../db/database.ts'

/** Revokes the conversation-wide approvals for tools of a module that is being removed. */
export async function endGrants(trx: Trx, module: string): Promise<void> {
  await trx.deleteFrom('approval_grant').where('kind', '=', 'tool').where('module', '=', module).execute()
}
