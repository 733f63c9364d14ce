import type { signInMethods } from '../../../contract/sign-in-methods.ts'
import type { Caller, HandlerInput } from '../../../contract/route.ts'
import type { Reader, Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import type { AccountsContext } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { isPasswordOf } from '../sign-in/is-password-of.ts'
import { countAttempt, forgive, proofKey } from '../sign-in/throttle.ts'
import { makeBackupCodes } from './backup-codes.ts'
import { TOTP_PURPOSE, useSecondFactor, wrongCode } from './second-factor.ts'
import { newTotpSecret, totpStep, totpUri } from './totp-code.ts'

type Proof = HandlerInput<typeof signInMethods.endTotp>['body']

/**
 * Creates a secret that is inactive until a code confirms it, discarding an earlier unconfirmed one. @throws {AppError}
 * totp_active
 */
export async function beginTotp(
  { db, vault, clock }: AccountsContext,
  caller: Caller,
): Promise<{ secret: string; uri: string }> {
  const secret = newTotpSecret()
  const row = { secret_sealed: vault.seal(TOTP_PURPOSE, secret), created_at: clock(), last_step: 0 }
  await db.transaction(async (trx) => {
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('user_totp')
      .values({ ...row, user_id: caller.user_id, confirmed_at: null })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row).where('user_totp.confirmed_at', 'is', null))
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows === 0n) throw active()
  })
  return { secret, uri: totpUri(secret, caller.username) }
}

/**
 * The first code turns on the second factor; returns the backup codes.
 * @throws {AppError} totp_wrong, totp_active, totp_not_begun, too_many_attempts
 */
export async function confirmTotp(
  context: AccountsContext,
  audit: Audit,
  caller: Caller,
  code: string,
): Promise<string[]> {
  const { db, vault, clock } = context
  const key = proofKey(caller.user_id)
  await countAttempt(context, [key])
  return db.transaction(async (trx) => {
    const row = await findTotp(trx, caller.user_id)
    if (!row) throw notBegun()
    if (row.confirmed_at !== null) throw active()
    const step = totpStep(vault.open(TOTP_PURPOSE, row.secret_sealed), code.replaceAll(/\s/g, ''), clock())
    if (step === null) throw wrongCode()
    // Only this very secret: another window may have started over in the meantime.
    const { numUpdatedRows } = await trx
      .updateTable('user_totp')
      .set({ confirmed_at: clock(), last_step: step })
      .where('user_id', '=', caller.user_id)
      .where('secret_sealed', '=', row.secret_sealed)
      .where('confirmed_at', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw wrongCode()
    const codes = await makeBackupCodes(trx, vault, caller.user_id)
    await forgive(trx, key)
    await audit.record(trx, { actor: caller, action: 'totp.enabled', target: caller.user_id, outcome: 'ok' })
    return codes
  })
}

/** @throws {AppError} totp_wrong, wrong_credentials, totp_not_begun, too_many_attempts */
export function renewBackupCodes(
  context: AccountsContext,
  audit: Audit,
  caller: Caller,
  proof: Proof,
): Promise<string[]> {
  return withProof(context, audit, caller, proof, 'totp.codes_renewed', (trx) =>
    makeBackupCodes(trx, context.vault, caller.user_id),
  )
}

/** @throws {AppError} totp_wrong, wrong_credentials, totp_not_begun, too_many_attempts */
export function endTotp(context: AccountsContext, audit: Audit, caller: Caller, proof: Proof): Promise<void> {
  return withProof(context, audit, caller, proof, 'totp.disabled', (trx) => deleteTotp(trx, caller.user_id))
}

/** Deletes the secret and the backup codes. */
export async function deleteTotp(trx: Trx, user_id: string): Promise<void> {
  await trx.deleteFrom('backup_code').where('user_id', '=', user_id).execute()
  await trx.deleteFrom('user_totp').where('user_id', '=', user_id).execute()
}

export async function findTotp(db: Reader, user_id: string) {
  return db
    .selectFrom('user_totp')
    .select(['secret_sealed', 'confirmed_at'])
    .where('user_id', '=', user_id)
    .executeTakeFirst()
}

/** Makes sure the second factor is changed by the user themselves, not by whoever sits at an unattended screen. */
async function withProof<T>(
  context: AccountsContext,
  audit: Audit,
  caller: Caller,
  { password, code }: Proof,
  action: string,
  change: (trx: Trx) => Promise<T>,
): Promise<T> {
  const { db } = context
  if ((password === undefined) === (code === undefined)) {
    throw new AppError('invalid_request', say`Give either the password or a code.`, {
      errors: [{ path: 'password', message: say`give this or code` }],
    })
  }
  const found = await findTotp(db.read, caller.user_id)
  if (!found || found.confirmed_at === null) throw notBegun()
  const key = proofKey(caller.user_id)
  await countAttempt(context, [key])
  const right = password !== undefined && (await isPasswordOf(context, caller.user_id, password))
  const entry = { actor: caller, action, target: caller.user_id } as const
  const done = await db.transaction(async (trx) => {
    const second = password === undefined ? await useSecondFactor(context, trx, caller.user_id, code) : null
    if (!right && second !== 'totp' && second !== 'backup code') {
      await audit.record(trx, { ...entry, outcome: 'refused' })
      return null
    }
    const result = await change(trx)
    await forgive(trx, key)
    await audit.record(trx, { ...entry, outcome: 'ok' })
    return { result }
  })
  if (done) return done.result
  throw password === undefined ? wrongCode() : new AppError('wrong_credentials', say`The password is wrong.`)
}

function active(): AppError {
  return new AppError('totp_active', say`The second factor is already on. Turn it off first to set up another app.`)
}

function notBegun(): AppError {
  return new AppError('totp_not_begun', say`The second factor is not on. Set it up first.`)
}
