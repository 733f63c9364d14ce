import { ModulePolicy } from '../../../../contract/modules.ts'
import type { Reader, Trx } from '../../../db/database.ts'

const KEY = 'modules.policy'
export const DEFAULT_REQUIREMENTS: ModulePolicy = {
  least_isolation: { trusted: 'process', untrusted: 'process' },
  memory_mib: 1024,
  signers: [],
}

/** The requirements for every installed module, as last saved. */
export async function readRequirements(db: Reader): Promise<ModulePolicy> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', KEY).executeTakeFirst()
  return row === undefined ? DEFAULT_REQUIREMENTS : ModulePolicy.parse(JSON.parse(row.value))
}

export async function writeRequirements(trx: Trx, requirements: ModulePolicy, now: number): Promise<void> {
  const value = JSON.stringify(requirements)
  await trx
    .insertInto('setting')
    .values({ key: KEY, value, updated_at: now })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_at: now }))
    .execute()
}
