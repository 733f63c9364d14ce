import type { SharedAuthority } from '../certificates/authority-place.ts'
import { LOCAL_CA_SETTING } from '../db/snapshot/kept-tables.ts'
import type { Database, Reader } from '../db/database.ts'
import type { Vault } from '../kernel/vault.ts'

const PURPOSE = 'local CA'

/** The local authority of all processes on one database: a row, sealed by the installation's key. */
export function sharedAuthority(db: Database, vault: Vault): SharedAuthority {
  async function read(from: Reader): Promise<string | null> {
    const row = await from.selectFrom('setting').select('value').where('key', '=', LOCAL_CA_SETTING).executeTakeFirst()
    return row === undefined ? null : vault.open(PURPOSE, (JSON.parse(row.value) as { sealed: string }).sealed)
  }

  return {
    read: () => read(db.read),
    put: (pem, instead) =>
      db.transaction(async (trx) => {
        await db.dialect.serialize(trx, LOCAL_CA_SETTING)
        // Another process was first, and all use the same.
        if ((await read(trx)) !== instead) return
        const row = { value: JSON.stringify({ sealed: vault.seal(PURPOSE, pem) }), updated_at: Date.now() }
        await trx
          .insertInto('setting')
          .values({ key: LOCAL_CA_SETTING, ...row })
          .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
          .execute()
      }),
  }
}
