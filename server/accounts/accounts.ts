import type { accounts } from '../../contract/accounts.ts'
import { PASSWORD_MAX, Username } from '../../contract/credentials.ts'
import type { Handlers } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import type { AccountsContext } from './accounts-context.ts'
import { type Audit, openAudit } from './audit.ts'
import { type AccountsGate, openGate } from './gate.ts'
import type { OpenidSettings } from './openid/openid-settings.ts'
import { sweepChallenges } from './passkeys/challenges.ts'
import { type AccountsPolicy, openPolicy } from './policy.ts'
import { sweepInvitations } from './invitations.ts'
import { accountRoutes } from './routes.ts'
import { sweepSessions } from './sessions.ts'
import { createFirstAdmin, openSetupLink } from './setup.ts'
import { sweepAttempts } from './throttle.ts'

export interface AccountsOptions extends Omit<AccountsContext, 'clock'> {
  /** Epoch milliseconds; the system's clock where it is left out. */
  readonly clock?: (() => number) | undefined
  /** Unattended setup: this administrator is created where there is none. */
  readonly firstAdmin?: { readonly username: string; readonly password: string } | null | undefined
  /** The provider at which people may sign in, too. */
  readonly openid?: OpenidSettings | null | undefined
}

export interface Accounts {
  readonly gate: AccountsGate
  readonly policy: AccountsPolicy
  readonly audit: Audit
  readonly handlers: Handlers<typeof accounts>
  /** Token of the setup link that this start made (`/setup?token=…`); null when an administrator exists. */
  readonly setupToken: string | null
  /** Deletes expired sign-ins and throttling that no longer counts. To be run now and then. */
  sweep(): Promise<void>
}

/**
 * Users, sign-ins, roles, permissions and the audit log. Built-in roles and, while nobody administers, a setup link are
 * there afterwards.
 * @throws {Error} with a sentence for the operator when `firstAdmin` cannot be created.
 */
export async function openAccounts({
  firstAdmin,
  openid = null,
  clock = Date.now,
  ...options
}: AccountsOptions): Promise<Accounts> {
  const context: AccountsContext = { ...options, clock }
  const { db } = context
  const audit = openAudit(db, clock)
  if (firstAdmin) await createUnattended(context, audit, firstAdmin)
  return {
    gate: openGate(context),
    policy: openPolicy(db),
    audit,
    handlers: accountRoutes(context, audit, openid),
    setupToken: await openSetupLink(context),
    sweep: () =>
      db.transaction(async (trx) => {
        await sweepSessions(trx, clock())
        await sweepAttempts(trx, clock())
        await sweepChallenges(trx, clock())
        await sweepInvitations(trx, clock())
      }),
  }
}

async function createUnattended(
  context: AccountsContext,
  audit: Audit,
  { username, password }: { username: string; password: string },
) {
  const name = Username.safeParse(username)
  if (!name.success) throw new Error('REEVE_ADMIN_USERNAME must have 1 to 64 letters, digits or . _ @ -')
  if (password.length > PASSWORD_MAX) throw new Error(`REEVE_ADMIN_PASSWORD may have ${PASSWORD_MAX} characters.`)
  try {
    if (await createFirstAdmin(context, audit, { username: name.data, password }))
      context.log.info('first administrator created')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new Error(`REEVE_ADMIN_USERNAME and REEVE_ADMIN_PASSWORD were refused: ${error.message}`, { cause: error })
  }
}
