import { type accounts, LANGUAGES } from '../../contract/accounts.ts'
import type { Handlers } from '../../contract/route.ts'
import { isoOrNull } from '../kernel/time.ts'
import type { AccountsContext } from './accounts-context.ts'
import type { Audit } from './audit/audit.ts'
import { changePassword } from './sign-in/change-password.ts'
import { csrfToken } from './sessions/csrf-token.ts'
import { aboutAudit } from './audit/about-audit.ts'
import { exportAudit } from './audit/audit-export.ts'
import { endElevation, listElevations } from './elevation/elevations.ts'
import { requestElevation } from './elevation/request-elevation.ts'
import { voteOnElevation } from './elevation/vote-elevation.ts'
import { deleteUser } from './users/delete-user.ts'
import { explainPolicy } from './policy/explain.ts'
import { requireFreshForAdmin } from './sign-in/fresh-sign-in.ts'
import { acceptInvitation, invite, readInvitation, revokeInvitation } from './users/invitations.ts'
import { listUsers } from './users/list-users.ts'
import { signInEnd } from './sessions/load-caller.ts'
import type { OpenidSettings } from './openid/openid-settings.ts'
import { passkeySignIn } from './passkeys/passkey-sign-in.ts'
import { readPreferences, updatePreferences } from './users/preferences.ts'
import { createRole, deleteRole, listRoles, updateRole } from './policy/roles.ts'
import { sessionUser } from './sessions/session-user.ts'
import { endSession, sessionsOf } from './sessions/sessions.ts'
import { completeSetup } from './sign-in/setup.ts'
import { signInRoutes } from './sign-in/sign-in-routes.ts'
import { signIn } from './sign-in/sign-in.ts'
import { createToken, listTokens, revokeToken } from './sessions/tokens.ts'
import { simulatePolicy } from './policy/simulate.ts'
import { updateUser } from './users/update-user.ts'
import { endUserSession, endUserSessions, listUserSessions } from './users/user-sessions.ts'
import { createUser } from './users/users.ts'
import { tryRule } from './policy/try-rule.ts'
import { unmatchedRules } from './policy/unmatched-rules.ts'

/** A handler for each route of the group `accounts`: unpack, call, wrap. */
export function accountRoutes(
  context: AccountsContext,
  audit: Audit,
  openid: OpenidSettings | null,
): Handlers<typeof accounts> {
  const { db, vault } = context
  const ok = true as const
  return {
    setup: ({ body, client }) => completeSetup(context, audit, body, client),
    login: ({ body, client }) => signIn(context, audit, body, client),
    passkeyLogin: ({ body, client }) => passkeySignIn(context, audit, body.credential, client),
    ...signInRoutes(context, audit, openid),
    logout: async ({ caller }) => {
      await endSession(context, audit, caller, caller.session_id, 'logout')
      return { body: { ok }, session: null }
    },
    session: async ({ caller }) => ({
      user: await sessionUser(context.roles, caller),
      csrf_token: csrfToken(vault, caller.session_id),
      session_id: caller.session_id,
      expires_at: isoOrNull(await signInEnd(context, caller)),
    }),
    listSessions: async ({ caller }) => ({ items: await sessionsOf(context, caller.user_id, caller.session_id) }),
    revokeSession: async ({ caller, params }) => {
      await endSession(context, audit, caller, params.session_id, 'session.revoked')
      return { ok, deleted: params.session_id }
    },
    changePassword: async ({ caller, body }) => {
      await changePassword(context, audit, caller, body)
      return { ok }
    },
    listTokens: async ({ caller }) => ({ items: await listTokens(context, caller) }),
    createToken: ({ caller, body }) => createToken(context, audit, caller, body),
    revokeToken: async ({ caller, params }) => {
      await revokeToken(context, audit, caller, params.token_id)
      return { ok, deleted: params.token_id }
    },
    preferences: async ({ caller }) => ({
      ...(await readPreferences(db, caller)),
      supported_languages: [...LANGUAGES],
    }),
    updatePreferences: async ({ caller, body }) => ({ ok, ...(await updatePreferences(db, caller, body)) }),
    listUsers: ({ query }) => listUsers(context, query),
    createUser: async ({ caller, body }) => {
      await requireFreshForAdmin(context, caller, { role_id: body.role_id })
      return { ok, user: await createUser(context, audit, caller, body) }
    },
    updateUser: async ({ caller, params, body }) => {
      await requireFreshForAdmin(context, caller, { role_id: body.role_id })
      // Another user's password is a way into their account.
      if (body.password !== undefined) await requireFreshForAdmin(context, caller, params)
      return { ok, user: await updateUser(context, audit, caller, params.user_id, body) }
    },
    deleteUser: async ({ caller, params }) => {
      await deleteUser(context, audit, caller, params.user_id)
      return { ok, deleted: params.user_id }
    },
    invite: async ({ caller, params }) => {
      await requireFreshForAdmin(context, caller, params)
      return invite(context, audit, caller, params.user_id)
    },
    revokeInvitation: async ({ caller, params }) => {
      await revokeInvitation(context, audit, caller, params.user_id)
      return { ok, deleted: params.user_id }
    },
    readInvitation: ({ body }) => readInvitation(context, body.token),
    acceptInvitation: ({ body, client }) => acceptInvitation(context, audit, body, client),
    listUserSessions: ({ caller, params }) => listUserSessions(context, caller, params.user_id),
    endUserSession: async ({ caller, params }) => {
      await endUserSession(context, audit, caller, params.user_id, params.session_id)
      return { ok, deleted: params.session_id }
    },
    endUserSessions: ({ caller, params, body }) => endUserSessions(context, audit, caller, params.user_id, body),
    listRoles: async () => ({ items: await listRoles(context) }),
    createRole: async ({ caller, body }) => {
      const role = await createRole(context, audit, caller, body)
      return { ok, role, warnings: unmatchedRules(context, role.rules, caller.language) }
    },
    updateRole: async ({ caller, params, body }) => {
      const role = await updateRole(context, audit, caller, params.role_id, body)
      return { ok, role, warnings: unmatchedRules(context, role.rules, caller.language) }
    },
    deleteRole: async ({ caller, params }) => {
      await deleteRole(context, audit, caller, params.role_id)
      return { ok, deleted: params.role_id }
    },
    listElevations: ({ caller }) => listElevations(context, caller),
    requestElevation: async ({ caller, body }) => ({
      ok,
      elevation: await requestElevation(context, audit, caller, body),
    }),
    voteOnElevation: async ({ caller, params, body }) => ({
      ok,
      elevation: await voteOnElevation(context, audit, caller, params.elevation_id, body),
    }),
    endElevation: async ({ caller, params }) => ({
      ok,
      elevation: await endElevation(context, audit, caller, params.elevation_id),
    }),
    audit: ({ query }) => audit.list(query),
    auditAbout: ({ caller }) => aboutAudit(db, audit, caller.language),
    verifyAudit: () => audit.verify(),
    exportAudit: async ({ caller, query, signal }) => {
      await db.transaction((trx) =>
        audit.record(trx, {
          actor: caller,
          action: 'audit.exported',
          target: '',
          outcome: 'ok',
          details: { ...query },
        }),
      )
      return exportAudit(audit, query, signal)
    },
    explainPolicy: ({ caller, body }) => explainPolicy(context, caller, body),
    tryRule: ({ caller, body }) => tryRule(context, caller, body),
    simulatePolicy: async ({ body, caller }) => {
      const { items, ...found } = await simulatePolicy(context, body)
      const titled = ({ module, title }: (typeof items)[number]) => context.toolTitle(module, title, caller.language)
      return { ...found, items: items.map((item) => ({ ...item, title: titled(item) })) }
    },
  }
}
