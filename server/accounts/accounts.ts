import { accounts as contract } from '../../contract/accounts.ts'
import { PASSWORD_MAX, Username } from '../../contract/credentials.ts'
import type { Caller, Handlers } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import type { JudgedHost } from '../chat/ports/hosts.ts'
import type { Policy } from '../chat/ports/policy.ts'
import type { Senders } from '../chat/ports/senders.ts'
import { loadedAtFirst } from '../kernel/loaded-at-first.ts'
import { OperatorProblem } from '../kernel/operator-problem.ts'
import type { AccountsContext } from './accounts-context.ts'
import { type Audit, openAudit } from './audit/audit.ts'
import { sweepElevations } from './elevation/elevations.ts'
import { sweepDeletedUsers } from './users/delete-user.ts'
import { type AccountsGate, openGate } from './sessions/gate.ts'
import { loadCaller } from './sessions/load-caller.ts'
import type { OpenidSettings } from './openid/openid-settings.ts'
import { sweepChallenges } from './passkeys/challenges.ts'
import { Roles } from './policy/load-role.ts'
import { callerHosts, openPolicy } from './policy/policy.ts'
import { sweepInvitations } from './users/invitations.ts'
import { type ModuleRules, openModuleRules } from './policy/module-rules.ts'
import { routineCaller } from './sessions/routine-caller.ts'
import { sweepSessions } from './sessions/sessions.ts'
import { openSetupLink } from './sign-in/setup-link.ts'
import { sweepPlaces } from './sign-in/known-places.ts'
import { Passwords } from './sign-in/passwords.ts'
import { sweepAttempts } from './sign-in/throttle.ts'

export interface AccountsOptions extends Omit<AccountsContext, 'clock' | 'passwords' | 'roles'> {
  /** Current time in epoch milliseconds; the system clock unless given. */
  readonly clock?: (() => number) | undefined
  /** Unattended setup: this administrator is created if there is none. */
  readonly firstAdmin?: { readonly username: string; readonly password: string } | null | undefined
  /** An external provider through which users may also sign in. */
  readonly openid?: OpenidSettings | null | undefined
  /** Days for which entries of the audit log are kept; null: for ever. */
  readonly keepAudit?: number | null
}

export interface Accounts {
  readonly gate: AccountsGate
  readonly policy: Policy
  /** Which machines a caller may use, now. */
  readonly mayUseHosts: (caller: Caller) => Promise<(host: JudgedHost) => boolean>
  readonly senders: Senders
  readonly audit: Audit
  readonly moduleRules: ModuleRules
  readonly handlers: Handlers<typeof contract>
  /** Token of the setup link created by this start (`/setup?token=…`); null when an administrator exists. */
  readonly setupToken: string | null
  /** How many passwords are waiting to be checked. */
  readonly passwordsWaiting: () => number
  /** Deletes expired sign-ins and throttling entries; to be run periodically. */
  sweep(): Promise<void>
}

/**
 * Users, sign-ins, roles, permissions and the audit log. Afterwards the built-in roles exist and, while there is no
 * administrator, a setup link.
 * @throws {OperatorProblem} when `firstAdmin` cannot be created.
 */
export async function openAccounts({
  firstAdmin,
  openid = null,
  clock = Date.now,
  keepAudit = null,
  ...options
}: AccountsOptions): Promise<Accounts> {
  const context: AccountsContext = { ...options, roles: new Roles(options.db), clock, passwords: new Passwords() }
  const { db, roles } = context
  const audit = openAudit(db, clock, keepAudit)
  if (firstAdmin) await createUnattended(context, audit, firstAdmin)
  const gate = openGate(context)
  return {
    gate,
    policy: openPolicy(db, roles, clock),
    mayUseHosts: (caller) => callerHosts(roles, caller),
    senders: {
      find: async ({ kind, session_id }) => (await loadCaller(db, { kind, session_id }, clock()))?.caller ?? null,
      owner: (of) => routineCaller(db, of),
      permission: gate.permission,
    },
    audit,
    moduleRules: openModuleRules(db),
    handlers: loadedAtFirst(contract, async () => (await import('./routes.ts')).accountRoutes(context, audit, openid)),
    passwordsWaiting: () => context.passwords.waiting,
    setupToken: await openSetupLink(context),
    sweep: async () => {
      await sweepDeletedUsers(context)
      await sweepElevations(context, audit)
      await db.transaction(async (trx) => {
        await sweepSessions(trx, clock())
        await sweepAttempts(trx, clock())
        await sweepPlaces(trx, clock())
        await sweepChallenges(trx, clock())
        await sweepInvitations(trx, clock())
      })
    },
  }
}

async function createUnattended(
  context: AccountsContext,
  audit: Audit,
  { username, password }: { username: string; password: string },
) {
  const name = Username.safeParse(username)
  if (!name.success)
    throw new OperatorProblem('REEVE_ADMIN_USERNAME may have letters, digits and . _ @ - only, 1 to 64 of them.')
  if (password.length > PASSWORD_MAX)
    throw new OperatorProblem(`REEVE_ADMIN_PASSWORD may have at most ${PASSWORD_MAX} characters.`)
  const { createFirstAdmin } = await import('./sign-in/setup.ts')
  try {
    if (await createFirstAdmin(context, audit, { username: name.data, password }))
      context.log.info('first administrator created')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new OperatorProblem(`REEVE_ADMIN_USERNAME and REEVE_ADMIN_PASSWORD were refused: ${error.message}`, {
      cause: error,
    })
  }
}
