import type { Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import type { AccountsContext } from '../accounts-context.ts'
import { useBackupCode } from './backup-codes.ts'
import { totpStep } from './totp-code.ts'

/** Purpose under which authenticator app secrets are sealed. */
export const TOTP_PURPOSE = 'totp secret'

/** `none`: the account has no second factor, so nothing was checked. */
type SecondFactor = 'none' | 'missing' | 'wrong' | 'totp' | 'backup code'

/**
 * Accepts an app code or a backup code of a user with a second factor, and consumes it: each is valid once, however
 * many requests present it at the same moment.
 */
export async function useSecondFactor(
  { vault, clock }: Pick<AccountsContext, 'vault' | 'clock'>,
  trx: Trx,
  user_id: string,
  typed: string | undefined,
): Promise<SecondFactor> {
  const row = await trx
    .selectFrom('user_totp')
    .select('secret_sealed')
    .where('user_id', '=', user_id)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  if (!row) return 'none'
  const code = (typed ?? '').replaceAll(/\s/g, '')
  if (code === '') return 'missing'
  const step = totpStep(vault.open(TOTP_PURPOSE, row.secret_sealed), code, clock())
  if (step === null) return (await useBackupCode(trx, vault, user_id, code)) ? 'backup code' : 'wrong'
  return (await useStep(trx, user_id, step)) ? 'totp' : 'wrong'
}

/** True when no code of this 30-second step, or of a later one, was accepted before. */
async function useStep(trx: Trx, user_id: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('user_totp')
    .set({ last_step: step })
    .where('user_id', '=', user_id)
    .where('last_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export function wrongCode(): AppError {
  return new AppError(
    'totp_wrong',
    say`The code is wrong, or was used before. Wait for the next one in your app, and check that the clock of your phone is right.`,
  )
}
