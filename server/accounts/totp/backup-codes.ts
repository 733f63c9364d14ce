import { randomInt } from 'node:crypto'
import type { Reader, Trx } from '../../db/database.ts'
import type { Vault } from '../../kernel/vault.ts'

const COUNT = 10
const LENGTH = 10
// No look-alikes, because they are copied by hand.
const ALPHABET = '23456789abcdefghjkmnpqrstvwxyz'

/** Creates ten backup codes in place of the old ones. They are in the return value and nowhere else. */
export async function makeBackupCodes(trx: Trx, vault: Vault, user_id: string): Promise<string[]> {
  await trx.deleteFrom('backup_code').where('user_id', '=', user_id).execute()
  const codes = new Set<string>()
  while (codes.size < COUNT) codes.add(newCode())
  await trx
    .insertInto('backup_code')
    .values([...codes].map((code) => ({ user_id, code_hash: hashCode(vault, user_id, code) })))
    .execute()
  return [...codes].map((code) => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`)
}

/** Consumes one, however it was typed; false when it isn't one of the user's. */
export async function useBackupCode(trx: Trx, vault: Vault, user_id: string, typed: string): Promise<boolean> {
  const code = typed.toLowerCase().replaceAll(/[\s-]/g, '')
  if (code.length !== LENGTH) return false
  const { numDeletedRows } = await trx
    .deleteFrom('backup_code')
    .where('user_id', '=', user_id)
    .where('code_hash', '=', hashCode(vault, user_id, code))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function countBackupCodes(db: Reader, user_id: string): Promise<number> {
  const { count } = await db
    .selectFrom('backup_code')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

function newCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

/** Uses the installation's key: 49 bits alone could be searched by anyone with a copy of the database. */
function hashCode(vault: Vault, user_id: string, code: string): string {
  return vault.hmac('backup code', `${user_id} ${code}`)
}
