import type { z } from 'zod'
import type { Caller } from '../../../contract/route.ts'
import type { PasskeyEntry } from '../../../contract/sign-in-methods.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import { iso, isoOrNull } from '../../kernel/time.ts'
import type { AccountsContext } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'

type Entry = z.input<typeof PasskeyEntry>

const PASSKEY_COLUMNS = ['passkey_id', 'name', 'backed_up', 'created_at', 'last_used_at'] as const

interface PasskeyRow {
  readonly passkey_id: string
  readonly name: string
  readonly backed_up: number
  readonly created_at: number
  readonly last_used_at: number | null
}

/** The caller's passkeys, newest first. */
export async function listPasskeys({ db }: AccountsContext, caller: Caller): Promise<Entry[]> {
  const rows = await db.read
    .selectFrom('passkey')
    .select(PASSKEY_COLUMNS)
    .where('user_id', '=', caller.user_id)
    .orderBy('passkey_id', 'desc')
    .execute()
  return rows.map(passkeyEntry)
}

/** @throws {AppError} not_found */
export async function renamePasskey(
  { db }: AccountsContext,
  audit: Audit,
  caller: Caller,
  passkey_id: string,
  name: string,
): Promise<Entry> {
  return db.transaction(async (trx) => {
    const row = await trx
      .updateTable('passkey')
      .set({ name: storable(name) })
      .where('passkey_id', '=', storable(passkey_id))
      .where('user_id', '=', caller.user_id)
      .returning(PASSKEY_COLUMNS)
      .executeTakeFirst()
    if (!row) throw unknownPasskey()
    const details = { name: row.name }
    await audit.record(trx, { actor: caller, action: 'passkey.renamed', target: passkey_id, outcome: 'ok', details })
    return passkeyEntry(row)
  })
}

/** @throws {AppError} not_found */
export async function deletePasskey(
  { db }: AccountsContext,
  audit: Audit,
  caller: Caller,
  passkey_id: string,
): Promise<void> {
  await db.transaction(async (trx) => {
    const gone = await trx
      .deleteFrom('passkey')
      .where('passkey_id', '=', storable(passkey_id))
      .where('user_id', '=', caller.user_id)
      .returning('name')
      .executeTakeFirst()
    if (!gone) throw unknownPasskey()
    await audit.record(trx, {
      actor: caller,
      action: 'passkey.deleted',
      target: passkey_id,
      outcome: 'ok',
      details: gone,
    })
  })
}

/** A passkey as sent to clients. */
export function passkeyEntry({ passkey_id, name, backed_up, created_at, last_used_at }: PasskeyRow): Entry {
  return {
    passkey_id,
    name,
    synced: backed_up === 1,
    created_at: iso(created_at),
    last_used_at: isoOrNull(last_used_at),
  }
}

function unknownPasskey(): AppError {
  return new AppError('not_found', say`You have no such passkey.`)
}
