import { ModulePolicy } from '../../../contract/modules.ts'
import type { Reader, Trx } from '../../db/database.ts'

const KEY = 'modules.policy'
export const DEFAULT_POLICY: ModulePolicy = {
  least_isolation: { trusted: 'process', untrusted: 'process' },
  memory_mib: 1024,
  signers: [],
}

/** What holds for every installed module, as it was saved last. */
export async function readPolicy(db: Reader): Promise<ModulePolicy> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', KEY).executeTakeFirst()
  return row === undefined ? DEFAULT_POLICY : ModulePolicy.parse(JSON.parse(row.value))
}

export async function writePolicy(trx: Trx, policy: ModulePolicy, now: number): Promise<void> {
  const value = JSON.stringify(policy)
  await trx
    .insertInto('setting')
    .values({ key: KEY, value, updated_at: now })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_at: now }))
    .execute()
}
