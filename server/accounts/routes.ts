import { type accounts, LANGUAGES } from '../../contract/accounts.ts'
import type { Handlers } from '../../contract/route.ts'
import { isoOrNull } from '../kernel/time.ts'
import type { AccountsContext } from './accounts-context.ts'
import type { Audit } from './audit.ts'
import { changePassword } from './change-password.ts'
import { csrfToken } from './csrf-token.ts'
import { exportAudit } from './audit-export.ts'
import { deleteUser } from './delete-user.ts'
import { explainPolicy } from './explain.ts'
import { acceptInvitation, invite, readInvitation, revokeInvitation } from './invitations.ts'
import { listUsers } from './list-users.ts'
import { signInEnd } from './load-caller.ts'
import type { OpenidSettings } from './openid/openid-settings.ts'
import { passkeySignIn } from './passkeys/passkey-sign-in.ts'
import { readPreferences, updatePreferences } from './preferences.ts'
import { createRole, deleteRole, listRoles, updateRole } from './roles.ts'
import { sessionUser } from './session-user.ts'
import { endSession, sessionsOf } from './sessions.ts'
import { completeSetup } from './setup.ts'
import { signInRoutes } from './sign-in-routes.ts'
import { signIn } from './sign-in.ts'
import { refuseScope, refuseToken } from './token-limits.ts'
import { createToken, listTokens, revokeToken } from './tokens.ts'
import { simulatePolicy } from './simulate.ts'
import { updateUser } from './update-user.ts'
import { endUserSession, endUserSessions, listUserSessions } from './user-sessions.ts'
import { createUser } from './users.ts'

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
      refuseToken(caller)
      await endSession(context, audit, caller, caller.session_id, 'logout')
      return { body: { ok }, session: null }
    },
    session: async ({ caller }) => ({
      user: await sessionUser(db, caller),
      csrf_token: csrfToken(vault, caller.session_id),
      session_id: caller.session_id,
      expires_at: isoOrNull(await signInEnd(context, caller)),
    }),
    listSessions: async ({ caller }) => {
      refuseScope(caller)
      return { items: await sessionsOf(context, caller.user_id, caller.session_id) }
    },
    revokeSession: async ({ caller, params }) => {
      refuseToken(caller)
      await endSession(context, audit, caller, params.session_id, 'session.revoked')
      return { ok, deleted: params.session_id }
    },
    changePassword: async ({ caller, body }) => {
      refuseToken(caller)
      await changePassword(context, audit, caller, body)
      return { ok }
    },
    listTokens: async ({ caller }) => {
      refuseScope(caller)
      return { items: await listTokens(context, caller) }
    },
    createToken: ({ caller, body }) => {
      refuseToken(caller)
      return createToken(context, audit, caller, body)
    },
    revokeToken: async ({ caller, params }) => {
      refuseToken(caller)
      await revokeToken(context, audit, caller, params.token_id)
      return { ok, deleted: params.token_id }
    },
    preferences: async ({ caller }) => ({
      ...(await readPreferences(db, caller)),
      supported_languages: [...LANGUAGES],
    }),
    updatePreferences: async ({ caller, body }) => {
      refuseScope(caller)
      return { ok, ...(await updatePreferences(db, caller, body)) }
    },
    listUsers: ({ query }) => listUsers(context, query),
    createUser: async ({ caller, body }) => ({ ok, user: await createUser(context, audit, caller, body) }),
    updateUser: async ({ caller, params, body }) => ({
      ok,
      user: await updateUser(context, audit, caller, params.user_id, body),
    }),
    deleteUser: async ({ caller, params }) => {
      await deleteUser(context, audit, caller, params.user_id)
      return { ok, deleted: params.user_id }
    },
    invite: ({ caller, params }) => invite(context, audit, caller, params.user_id),
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
    createRole: async ({ caller, body }) => ({ ok, role: await createRole(context, audit, caller, body) }),
    updateRole: async ({ caller, params, body }) => ({
      ok,
      role: await updateRole(context, audit, caller, params.role_id, body),
    }),
    deleteRole: async ({ caller, params }) => {
      await deleteRole(context, audit, caller, params.role_id)
      return { ok, deleted: params.role_id }
    },
    audit: ({ query }) => audit.list(query),
    verifyAudit: () => audit.verify(),
    exportAudit: ({ query, signal }) => exportAudit(audit, query, signal),
    explainPolicy: ({ caller, body }) => explainPolicy(context, caller, body),
    simulatePolicy: ({ body }) => simulatePolicy(context, body),
  }
}
