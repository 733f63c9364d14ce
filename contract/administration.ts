import { z } from 'zod'
import { auditLog } from './audit-log.ts'
import { DisplayName, Password, Username } from './credentials.ts'
import { Elevatable } from './elevations.ts'
import { invitations } from './invitations.ts'
import { policy } from './policy.ts'
import { json, route } from './route.ts'
import { AuditReads, Rule } from './rules.ts'
import { userSessions } from './user-sessions.ts'
import { Cursor, Id, limit, NextCursor, Ok, Timestamp } from './values.ts'

export const User = z.strictObject({
  user_id: Id,
  username: z.string(),
  display_name: z.string(),
  role_id: Id,
  role: z.string(),
  disabled: z.boolean(),
  /** Whether there is a password to sign in with. */
  password: z.boolean(),
  /** Whether signing in requires a second factor. */
  second_factor: z.boolean(),
  /** When the open link for choosing a password expires; null when there is none. */
  invited_until: Timestamp.nullable(),
  created_at: Timestamp,
  last_seen_at: Timestamp.nullable(),
})
export const UserState = z.enum(['active', 'disabled', 'invited'])
export const Role = z.strictObject({
  role_id: Id,
  name: z.string(),
  admin: z.boolean(),
  builtin: z.boolean(),
  users: z.int(),
  rules: z.array(Rule),
  /** The built-in role that nobody has and whose rules bind everybody, administrators included. */
  everybody: z.literal(true).optional(),
  /** Positions in `rules` of those that allow nothing until they are saved anew: the definition of their tool has changed. */
  stale: z.array(z.int()).optional(),
  /** Present where it may be taken for a while. Never of a role that administers. */
  elevatable: Elevatable.optional(),
  /** How the audit log keeps calls of its users that only read. */
  audit_reads: AuditReads,
  /** Counts changes. A change that sends it back is refused if another change came in between. */
  revision: z.int(),
})
const RoleName = z.string().trim().min(1).max(60)

/** A saved rule that currently has no effect, with a sentence saying why. */
export const RuleWarning = z.strictObject({ subject: z.string(), message: z.string() })

/** Users, roles, policy and the audit log: for administrators. */
export const administration = {
  listUsers: route({
    method: 'GET',
    path: '/api/admin/users',
    summary: 'All users, the oldest first; by words of their names, role and state',
    access: 'admin',
    query: z.object({
      q: z.string().max(200).optional(),
      role_id: Id.optional(),
      state: UserState.optional(),
      limit: limit(100),
      cursor: Cursor,
    }),
    response: json(z.strictObject({ items: z.array(User), next_cursor: NextCursor })),
    errors: [],
  }),
  createUser: route({
    method: 'POST',
    path: '/api/admin/users',
    summary: 'Create a user. Without a password nobody can sign in as them before an invitation is used',
    access: 'admin',
    sessionOnly: true,
    body: json(
      z.strictObject({
        username: Username,
        display_name: DisplayName.optional(),
        password: Password.optional(),
        role_id: Id,
      }),
    ),
    response: json(z.strictObject({ ok: Ok, user: User })),
    errors: ['username_taken', 'unknown_role', 'weak_password', 'sign_in_busy', 'sign_in_again'],
  }),
  updateUser: route({
    method: 'PATCH',
    path: '/api/admin/users/{user_id}',
    summary: 'Change a user: name, role, password, disabled. Demoting, disabling or a new password ends their sessions',
    access: 'admin',
    sessionOnly: true,
    params: z.object({ user_id: Id }),
    body: json(
      z.strictObject({
        display_name: DisplayName.optional(),
        role_id: Id.optional(),
        password: Password.optional(),
        disabled: z.boolean().optional(),
      }),
    ),
    response: json(z.strictObject({ ok: Ok, user: User })),
    errors: ['not_found', 'unknown_role', 'weak_password', 'last_admin', 'sign_in_busy', 'sign_in_again'],
  }),
  deleteUser: route({
    method: 'DELETE',
    path: '/api/admin/users/{user_id}',
    summary: 'Delete a user with their conversations and files',
    access: 'admin',
    sessionOnly: true,
    params: z.object({ user_id: Id }),
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found', 'last_admin', 'run_active'],
  }),
  listRoles: route({
    method: 'GET',
    path: '/api/admin/roles',
    summary: 'All roles with their rules',
    access: 'admin',
    response: json(z.strictObject({ items: z.array(Role) })),
    errors: [],
  }),
  createRole: route({
    method: 'POST',
    path: '/api/admin/roles',
    summary: 'Create a role',
    access: 'admin',
    sessionOnly: true,
    body: json(z.strictObject({ name: RoleName, rules: z.array(Rule).max(1000).default([]) })),
    response: json(z.strictObject({ ok: Ok, role: Role, warnings: z.array(RuleWarning) })),
    errors: ['role_exists', 'bad_rule', 'rule_tool_missing', 'rule_example_failed', 'rule_path_unsafe'],
  }),
  updateRole: route({
    method: 'PATCH',
    path: '/api/admin/roles/{role_id}',
    summary:
      'Rename a role, replace its rules, say how its calls that only read are kept in the audit log, or who may take it for a while',
    access: 'admin',
    sessionOnly: true,
    params: z.object({ role_id: Id }),
    body: json(
      z.strictObject({
        name: RoleName.optional(),
        rules: z.array(Rule).max(1000).optional(),
        audit_reads: AuditReads.optional(),
        /** Null: nobody takes it for a while any more; who has it at this moment has their own role back. */
        elevatable: Elevatable.nullable().optional(),
        revision: z.int().optional(),
      }),
    ),
    response: json(z.strictObject({ ok: Ok, role: Role, warnings: z.array(RuleWarning) })),
    errors: [
      'not_found',
      'role_exists',
      'role_builtin',
      'role_changed',
      'bad_rule',
      'rule_tool_missing',
      'rule_example_failed',
      'rule_path_unsafe',
    ],
  }),
  deleteRole: route({
    method: 'DELETE',
    path: '/api/admin/roles/{role_id}',
    summary: 'Delete a role that nobody has',
    access: 'admin',
    sessionOnly: true,
    params: z.object({ role_id: Id }),
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found', 'role_in_use', 'role_builtin'],
  }),
  ...invitations,
  ...userSessions,
  ...auditLog,
  ...policy,
}
