import type { Kysely } from 'kysely'
import type { Database, Reader } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { OperatorProblem } from '../kernel/operator-problem.ts'
import { loadOrCreateKey, openVault, readKey, SealError, type Vault } from '../kernel/vault.ts'

/** The setting whose value only the secret key of this installation can open. */
const CHECK = 'key.check'
const PURPOSE = 'key check'
const TEXT = 'This is the key.'

/** The secret key isn't the one this database was sealed with, or it is gone. One sentence for the operator. */
export class WrongKey extends OperatorProblem {
  override readonly name = 'WrongKey'
}

interface KeyPlace {
  readonly dataFolder: string
  /** From the settings; null: the one in the data folder. */
  readonly secretKey: string | null
}

/**
 * The vault of this installation. The first time, its key is recorded in the database by a sealed value; from then on
 * no other key is accepted, and a missing one is never replaced by a new one.
 * @throws {WrongKey}
 */
export async function openCheckedVault(db: Database, place: KeyPlace): Promise<Vault> {
  const vault = await vaultThatFits(db.read, place)
  if (vault !== null) return vault
  const made = openVault(loadOrCreateKey(place.dataFolder, place.secretKey))
  await db.transaction((trx) => noteKey(trx, made))
  // Another process may have been first, with a different key.
  return (await vaultThatFits(db.read, place)) ?? made
}

/**
 * The vault if the database knows its key, or would accept the existing one; null if there is none yet. Changes
 * nothing. @throws {WrongKey}
 */
export async function vaultThatFits(db: Reader, { dataFolder, secretKey }: KeyPlace): Promise<Vault | null> {
  const sealed = await readCheck(db)
  const key = readKey(dataFolder, secretKey)
  const where = secretKey === null ? `secret.key in ${dataFolder}` : 'REEVE_SECRET_KEY'
  if (key === null) {
    if (sealed === null) return null
    throw new WrongKey(
      `The secret key of this installation is gone: there is no ${where}. Put it back, or set REEVE_SECRET_KEY; if it is lost, run reeve forget-secrets.`,
    )
  }
  const vault = openVault(key)
  if (sealed === null || opens(vault, sealed)) return sealed === null ? null : vault
  throw new WrongKey(
    `The secret key (${where}) is not the one of this installation. Restore the right one; if it is lost, run reeve forget-secrets.`,
  )
}

/** Records this vault's key as the installation's, whatever was recorded before. */
export async function noteKey(db: Kysely<Tables>, vault: Vault, again = false): Promise<void> {
  const row = { value: vault.seal(PURPOSE, TEXT), updated_at: Date.now() }
  await db
    .insertInto('setting')
    .values({ key: CHECK, ...row })
    .onConflict((conflict) => (again ? conflict.column('key').doUpdateSet(row) : conflict.column('key').doNothing()))
    .execute()
}

/** Makes the next start accept the key it finds. */
export async function forgetKey(db: Kysely<Tables>): Promise<void> {
  await db.deleteFrom('setting').where('key', '=', CHECK).execute()
}

async function readCheck(db: Reader): Promise<string | null> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', CHECK).executeTakeFirst()
  return row?.value ?? null
}

function opens(vault: Vault, sealed: string): boolean {
  try {
    return vault.open(PURPOSE, sealed) === TEXT
  } catch (error) {
    if (error instanceof SealError) return false
    throw error
  }
}
