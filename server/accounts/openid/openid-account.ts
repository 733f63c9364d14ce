import type { SessionChange } from '../../../contract/route.ts'
import type { OpenidProblem } from '../../../contract/sign-in-methods.ts'
import type { ElevationTable } from '../../db/rows/account-tables.ts'
import type { Trx } from '../../db/database.ts'
import { fold, storable } from '../../kernel/text/plain-text.ts'
import { type AccountsContext, ACCOUNTS_LOCK } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { closeOpen, recordClosed, tellAll } from '../elevation/close-elevations.ts'
import { enabledAdmins } from '../users/enabled-admins.ts'
import { insertUser } from '../users/insert-user.ts'
import { type Client, endSessions } from '../sessions/sessions.ts'
import { holdAccount, startSignIn } from '../sign-in/sign-in.ts'
import { displayNameOf, linkedNameOf, type OpenidPerson, roleNameOf, usernameOf } from './openid-person.ts'
import type { OpenidSettings } from './openid-settings.ts'
import { EVERYBODY } from '../../../contract/rules.ts'

interface Account {
  readonly user_id: string
  readonly username: string
  readonly role_id: string
  readonly admin: number
  readonly disabled_at: number | null
}
interface Role {
  readonly role_id: string
  readonly name: string
  readonly admin: number
}
type Entered = { session: { session_id: string; change: SessionChange } } | { problem: OpenidProblem }

/**
 * Signs in a person identified by the provider: finds their account by issuer and subject, links or creates one,
 * assigns the role of their groups, and starts a session. Nothing is changed for a person who is refused.
 */
export async function enterByOpenid(
  context: AccountsContext,
  audit: Audit,
  settings: OpenidSettings,
  person: OpenidPerson,
  client: Client,
): Promise<Entered> {
  const { db, clock } = context
  return db.transaction(async (trx) => {
    // Names, roles and the last administrator are settled here, so this runs serialized.
    await db.dialect.serialize(trx, ACCOUNTS_LOCK)
    const refuse = async (problem: OpenidProblem, account?: Account): Promise<Entered> => {
      const details = {
        username: account?.username ?? null,
        address: client.address,
        method: 'openid',
        reason: problem,
      }
      const target = account?.user_id ?? ''
      await audit.record(trx, { actor: null, action: 'login.failed', target, outcome: 'refused', details })
      return { problem }
    }
    const role = await roleFor(context, trx, settings, person)
    const known = await findAccount(trx, person)
    const linked = known ?? (await findByName(trx, linkedNameOf(person, settings.link)))
    if (linked && linked.disabled_at !== null) return refuse('openid_disabled', linked)
    if (role === null && (!linked || settings.roles.length > 0)) return refuse('openid_unknown', linked)
    if (!known && linked && (await hasIdentity(trx, person.issuer, linked))) return refuse('openid_name_taken', linked)
    if (!linked && (await findByName(trx, usernameOf(person)))) return refuse('openid_name_taken')

    const account = linked ?? (await makeAccount(context, audit, trx, person, role!))
    const closed = linked && role && settings.roles.length > 0 ? await giveRole(context, audit, trx, linked, role) : []
    await noteIdentity(context, audit, trx, person, account, known !== undefined)
    await holdAccount(trx, { user_id: account.user_id }, clock())
    const { auth_time } = person.claims
    // A provider may let a person in whom it merely recognised: unless it says when they signed in, nothing has been
    // proved just now.
    const confirmed_at = typeof auth_time === 'number' ? Math.min(auth_time * 1000, clock()) : 0
    const session = await startSignIn(context, audit, trx, account, client, 'openid', confirmed_at)
    await tellAll(context, trx, closed)
    return { session }
  })
}

async function roleFor({ log }: AccountsContext, trx: Trx, settings: OpenidSettings, person: OpenidPerson) {
  const name = roleNameOf(person, settings)
  if (name === null) return null
  const role = await trx
    .selectFrom('role')
    .select(['role_id', 'name', 'admin'])
    .where('name_folded', '=', fold(storable(name)))
    .where('name_folded', '!=', EVERYBODY)
    .executeTakeFirst()
  if (!role) log.warn({ role: name }, 'REEVE_OIDC_ROLES or REEVE_OIDC_DEFAULT_ROLE names a role that is not there')
  return role ?? null
}

function accounts(trx: Trx) {
  return trx
    .selectFrom('user')
    .innerJoin('role', 'role.role_id', 'user.role_id')
    .select(['user.user_id', 'user.username', 'user.role_id', 'user.disabled_at', 'role.admin'])
}

function findAccount(trx: Trx, { issuer, subject }: OpenidPerson): Promise<Account | undefined> {
  return accounts(trx)
    .innerJoin('openid_identity', 'openid_identity.user_id', 'user.user_id')
    .where('openid_identity.issuer', '=', storable(issuer))
    .where('openid_identity.subject', '=', storable(subject))
    .executeTakeFirst()
}

async function findByName(trx: Trx, name: string | null): Promise<Account | undefined> {
  if (name === null) return undefined
  return accounts(trx)
    .where('user.username_folded', '=', fold(storable(name)))
    .executeTakeFirst()
}

/** Another identity of this provider already has the account. */
async function hasIdentity(trx: Trx, issuer: string, { user_id }: Account): Promise<boolean> {
  const other = await trx
    .selectFrom('openid_identity')
    .select('subject')
    .where('issuer', '=', storable(issuer))
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  return other !== undefined
}

/** Creates an account without a password, which only the provider can sign in. */
async function makeAccount(
  { clock }: AccountsContext,
  audit: Audit,
  trx: Trx,
  person: OpenidPerson,
  role: Role,
): Promise<{ user_id: string; username: string }> {
  const user = await insertUser(
    trx,
    {
      username: usernameOf(person),
      display_name: displayNameOf(person),
      password_hash: null,
      role_id: role.role_id,
      language: 'en',
      last_seen_at: clock(),
    },
    clock(),
  )
  const details = { username: user.username, role: role.name, issuer: person.issuer }
  await audit.record(trx, { actor: null, action: 'user.created', target: user.user_id, outcome: 'ok', details })
  return user
}

/**
 * The role follows the groups at each sign-in. The last administrator remains one, since otherwise no one could correct
 * it. Returns what another role has ended, to be told last.
 */
async function giveRole(
  context: AccountsContext,
  audit: Audit,
  trx: Trx,
  account: Account,
  role: Role,
): Promise<ElevationTable[]> {
  const { db, log, clock } = context
  if (account.role_id === role.role_id) return []
  if (account.admin === 1 && role.admin === 0 && (await enabledAdmins(trx, account.user_id)) === 0) {
    log.warn({ user_id: account.user_id, role: role.name }, 'the last administrator keeps the role')
    return []
  }
  await trx.updateTable('user').set({ role_id: role.role_id }).where('user_id', '=', account.user_id).execute()
  const closed = await closeOpen(trx, { user_id: account.user_id }, { now: clock(), by: null })
  const sessions_ended = await endSessions(db, trx, account.user_id)
  const details = { username: account.username, role: role.name, by: 'openid', sessions_ended }
  await audit.record(trx, { actor: null, action: 'user.updated', target: account.user_id, outcome: 'ok', details })
  await recordClosed(audit, trx, null, closed)
  return closed
}

async function noteIdentity(
  { clock }: AccountsContext,
  audit: Audit,
  trx: Trx,
  { issuer, subject }: OpenidPerson,
  account: { user_id: string; username: string },
  known: boolean,
): Promise<void> {
  const now = clock()
  const row = { issuer: storable(issuer), subject: storable(subject), user_id: account.user_id }
  await trx
    .insertInto('openid_identity')
    .values({ ...row, created_at: now, last_used_at: now })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet({ last_used_at: now }))
    .execute()
  if (known) return
  const details = { username: account.username, issuer }
  await audit.record(trx, { actor: account, action: 'openid.linked', target: account.user_id, outcome: 'ok', details })
}
