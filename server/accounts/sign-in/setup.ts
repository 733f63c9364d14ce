import type { accounts } from '../../../contract/accounts.ts'
import type { HandlerInput, HandlerOutput } from '../../../contract/route.ts'
import type { Reader, Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { type AccountsContext, ACCOUNTS_LOCK } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { ensureBuiltinRoles } from '../policy/builtin-roles.ts'
import { enabledAdmins } from '../users/enabled-admins.ts'
import { insertUser, type NewUser } from '../users/insert-user.ts'
import { checkPassword } from './password-rule.ts'
import { secretHash } from '../sessions/secret-hash.ts'
import { startSession, type Client } from '../sessions/sessions.ts'
import { isSetupOpen } from './setup-link.ts'
import { signedIn } from './sign-in.ts'

/**
 * Creates the first administrator using a setup link, and signs them in. However many try at once, one succeeds: the
 * one that deletes the link's row.
 * @throws {AppError} setup_done, setup_token_invalid, weak_password, sign_in_busy, invalid_request (the username is
 * taken)
 */
export async function completeSetup(
  context: AccountsContext,
  audit: Audit,
  body: HandlerInput<typeof accounts.setup>['body'],
  client: Client,
): Promise<HandlerOutput<typeof accounts.setup>> {
  const { db, clock } = context
  const token_hash = secretHash(body.token)
  const link = await db.read
    .selectFrom('setup')
    .select('setup_id')
    .where('token_hash', '=', token_hash)
    .executeTakeFirst()
  // Before the password is hashed: a stranger without a link must not cost more than a lookup.
  if (!link) throw await refusal(db.read)
  checkPassword(body.password, body.username)
  const password_hash = await context.passwords.hash(body.password)
  const session = await db
    .transaction(async (trx) => {
      await db.dialect.serialize(trx, ACCOUNTS_LOCK)
      const used = await trx.deleteFrom('setup').where('token_hash', '=', token_hash).executeTakeFirst()
      if (used.numDeletedRows === 0n) throw await refusal(trx)
      const { username, display_name, language = 'en' } = body
      const user = await insertAdmin(context, trx, {
        username,
        display_name,
        password_hash,
        language,
        last_seen_at: clock(),
      })
      const started = await startSession(trx, user.user_id, client, clock())
      const details = { username, address: client.address, session_id: started.session_id }
      await audit.record(trx, { actor: user, action: 'setup', target: user.user_id, outcome: 'ok', details })
      return started
    })
    .catch((error: unknown) => {
      throw db.isUniqueViolation(error) ? usernameTaken() : error
    })
  return signedIn(context, session)
}

/**
 * Unattended setup: creates the administrator if there is none, otherwise does nothing. Returns whether it did.
 * @throws {AppError} weak_password, invalid_request (the username is taken)
 */
export async function createFirstAdmin(
  context: AccountsContext,
  audit: Audit,
  { username, password }: { username: string; password: string },
): Promise<boolean> {
  const { db } = context
  if ((await enabledAdmins(db.read)) > 0) return false
  checkPassword(password, username)
  const password_hash = await context.passwords.hash(password)
  return db
    .transaction(async (trx) => {
      await db.dialect.serialize(trx, ACCOUNTS_LOCK)
      if ((await enabledAdmins(trx)) > 0) return false
      const user = await insertAdmin(context, trx, {
        username,
        display_name: undefined,
        password_hash,
        language: 'en',
        last_seen_at: null,
      })
      await audit.record(trx, {
        actor: null,
        action: 'setup',
        target: user.user_id,
        outcome: 'ok',
        details: { username, unattended: true },
      })
      return true
    })
    .catch((error: unknown) => {
      throw db.isUniqueViolation(error) ? usernameTaken() : error
    })
}

async function insertAdmin({ clock }: AccountsContext, trx: Trx, user: Omit<NewUser, 'role_id'>) {
  const role_id = await ensureBuiltinRoles(trx, clock())
  await trx.deleteFrom('setup').execute()
  return insertUser(trx, { ...user, role_id }, clock())
}

async function refusal(db: Reader): Promise<AppError> {
  return (await isSetupOpen(db))
    ? new AppError('setup_token_invalid', say`Use the newest link from the service log.`)
    : new AppError('setup_done', say`An administrator exists. Sign in instead.`)
}

function usernameTaken(): AppError {
  return new AppError('invalid_request', say`A user with this name exists. Choose another username.`, {
    errors: [{ path: 'username', message: 'is taken' }],
  })
}
