import type { AccountsContext } from '../accounts-context.ts'

/** Whether it is the user's password; always false for an account without one. @throws {AppError} sign_in_busy */
export async function isPasswordOf(
  { db, passwords }: Pick<AccountsContext, 'db' | 'passwords'>,
  user_id: string,
  password: string,
): Promise<boolean> {
  const row = await db.read.selectFrom('user').select('password_hash').where('user_id', '=', user_id).executeTakeFirst()
  return passwords.verify(row?.password_hash ?? null, password)
}
