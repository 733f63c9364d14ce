import type { Kysely } from 'kysely'
import type { Reader } from '../db/database.ts'
import { LOCAL_CA_SETTING } from '../db/snapshot/kept-tables.ts'
import type { Tables } from '../db/schema.ts'

/** The setting with the time values were last forgotten, which the dashboard shows for a while. */
const FORGOTTEN = 'secrets.forgotten'

/** How many values are sealed with the key. */
export interface SealedCounts {
  readonly module_secrets: number
  readonly engine_keys: number
  /** Users whose second factor is an app; their backup codes are removed with it. */
  readonly second_factors: number
  /** The key that signs receipts: there will be a new one. */
  readonly signing_keys: number
  /** The keys with which Reeve signs in to machines: there will be a new one, which each machine must get to know. */
  readonly ssh_keys: number
  /** Passwords and tokens of channels. */
  readonly channel_secrets: number
}

/** Counts what is sealed with the secret key of this installation. */
export async function countSealed(db: Reader): Promise<SealedCounts> {
  const count = async (table: 'module_secret' | 'user_totp'): Promise<number> => {
    const { rows } = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow()
    return Number(rows)
  }
  const { keys } = await db
    .selectFrom('engine')
    .select(({ fn }) => fn.count<number>('sealed_key').as('keys'))
    .executeTakeFirstOrThrow()
  const { signing } = await db
    .selectFrom('signing_key')
    .select(({ fn }) => fn.count<number>('sealed_key').as('signing'))
    .executeTakeFirstOrThrow()
  const { ssh } = await db
    .selectFrom('ssh_key')
    .select(({ fn }) => fn.count<number>('sealed').as('ssh'))
    .executeTakeFirstOrThrow()
  const { channels } = await db
    .selectFrom('channel')
    .select(({ fn }) => fn.count<number>('secret_sealed').as('channels'))
    .executeTakeFirstOrThrow()
  return {
    module_secrets: await count('module_secret'),
    engine_keys: Number(keys),
    second_factors: await count('user_totp'),
    signing_keys: Number(signing),
    ssh_keys: Number(ssh),
    channel_secrets: Number(channels),
  }
}

/** Removes everything that only the lost key could open and that must be entered again. In one transaction. */
export async function forgetSealed(trx: Kysely<Tables>, now = Date.now()): Promise<SealedCounts> {
  const counts = await countSealed(trx)
  await trx.deleteFrom('module_secret').execute()
  for (const table of ['module_connection', 'module_client', 'module_connecting'] as const)
    await trx.deleteFrom(table).execute()
  await trx.deleteFrom('backup_code').execute()
  await trx.deleteFrom('user_totp').execute()
  await trx.updateTable('engine').set({ sealed_key: null, key_updated_at: null }).execute()
  await trx
    .updateTable('signing_key')
    .set({ sealed_key: null, in_use: null, retired_at: now })
    .where('in_use', '=', 1)
    .execute()
  await trx.updateTable('ssh_key').set({ sealed: null, retired_at: now }).where('retired_at', 'is', null).execute()
  await trx.updateTable('channel').set({ secret_sealed: null, secret_at: null }).execute()
  // There will be a new one, which everybody has to import.
  await trx.deleteFrom('setting').where('key', '=', LOCAL_CA_SETTING).execute()
  await writeSetting(trx, FORGOTTEN, { at: now }, now)
  return counts
}

async function writeSetting(db: Kysely<Tables>, key: string, content: unknown, now: number): Promise<void> {
  const row = { value: JSON.stringify(content), updated_at: now }
  await db
    .insertInto('setting')
    .values({ key, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute()
}
