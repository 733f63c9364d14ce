import { z } from 'zod'
import { json, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Ok, Timestamp } from './values.ts'

export const PASSWORD_MIN = 10
export const PASSWORD_MAX = 200

export const EffectName = z.enum(['allow', 'ask', 'deny'])
/** Letters, digits and `._@-`; compared without case. */
export const Username = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[\p{L}\p{N}._@-]+$/u)
export const Password = z.string().min(1).max(PASSWORD_MAX)
export const DisplayName = z.string().trim().max(100)

/** `codex.use`, `files.read` …, `tool:<module>.<tool>` or `tool:<module>.*`. */
export const Subject = z
  .string()
  .regex(/^(codex\.use|files\.(read|create|delete)|tool:[a-z0-9][a-z0-9-]{0,63}\.(\*|[A-Za-z0-9_.-]{1,128}))$/)
export const Rule = z.strictObject({ subject: Subject, effect: EffectName })

export const User = z.strictObject({
  user_id: Id,
  username: z.string(),
  display_name: z.string(),
  role_id: Id,
  role: z.string(),
  disabled: z.boolean(),
  created_at: Timestamp,
  last_seen_at: Timestamp.nullable(),
})
export const Role = z.strictObject({
  role_id: Id,
  name: z.string(),
  admin: z.boolean(),
  builtin: z.boolean(),
  users: z.int(),
  rules: z.array(Rule),
})
export const AuditEntry = z.strictObject({
  audit_id: z.int(),
  at: Timestamp,
  actor_id: Id.nullable(),
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  outcome: z.enum(['ok', 'refused', 'failed']),
  details: z.record(z.string(), z.unknown()),
  hash: z.string(),
})
/** One step of the policy engine's reasoning, in the order in which it was taken. */
export const TraceStep = z.strictObject({
  step: z.string(),
  matched: z.boolean(),
  subject: z.string().nullable(),
  effect: EffectName.nullable(),
  note: z.string(),
})
export const Decision = z.strictObject({ effect: EffectName, reason: z.string(), trace: z.array(TraceStep) })

const RoleName = z.string().trim().min(1).max(60)

/** Users, roles, policy and the audit log: for administrators. */
export const administration = {
  listUsers: route({
    method: 'GET',
    path: '/api/admin/users',
    summary: 'All users',
    access: 'admin',
    query: z.object({ limit: limit(100), cursor: Cursor }),
    response: json(z.strictObject({ items: z.array(User), next_cursor: NextCursor })),
    errors: [],
  }),
  createUser: route({
    method: 'POST',
    path: '/api/admin/users',
    summary: 'Create a user',
    access: 'admin',
    body: json(
      z.strictObject({
        username: Username,
        display_name: DisplayName.optional(),
        password: Password,
        role_id: Id,
      }),
    ),
    response: json(z.strictObject({ ok: Ok, user: User })),
    errors: ['username_taken', 'unknown_role', 'weak_password'],
  }),
  updateUser: route({
    method: 'PATCH',
    path: '/api/admin/users/{user_id}',
    summary: 'Change a user: name, role, password, disabled. Demoting, disabling or a new password ends their sessions',
    access: 'admin',
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
    errors: ['not_found', 'unknown_role', 'weak_password', 'last_admin'],
  }),
  deleteUser: route({
    method: 'DELETE',
    path: '/api/admin/users/{user_id}',
    summary: 'Delete a user with their conversations and files',
    access: 'admin',
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
    body: json(z.strictObject({ name: RoleName, rules: z.array(Rule).max(1000).default([]) })),
    response: json(z.strictObject({ ok: Ok, role: Role })),
    errors: ['role_exists'],
  }),
  updateRole: route({
    method: 'PATCH',
    path: '/api/admin/roles/{role_id}',
    summary: 'Rename a role or replace its rules',
    access: 'admin',
    params: z.object({ role_id: Id }),
    body: json(z.strictObject({ name: RoleName.optional(), rules: z.array(Rule).max(1000).optional() })),
    response: json(z.strictObject({ ok: Ok, role: Role })),
    errors: ['not_found', 'role_exists', 'role_builtin'],
  }),
  deleteRole: route({
    method: 'DELETE',
    path: '/api/admin/roles/{role_id}',
    summary: 'Delete a role that nobody has',
    access: 'admin',
    params: z.object({ role_id: Id }),
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found', 'role_in_use', 'role_builtin'],
  }),
  audit: route({
    method: 'GET',
    path: '/api/admin/audit',
    summary: 'The audit log, newest first',
    access: 'admin',
    query: z.object({
      limit: limit(100),
      cursor: Cursor,
      action: z.string().max(100).optional(),
      actor_id: Id.optional(),
    }),
    response: json(z.strictObject({ items: z.array(AuditEntry), next_cursor: NextCursor })),
    errors: [],
  }),
  verifyAudit: route({
    method: 'GET',
    path: '/api/admin/audit/verify',
    summary: 'Check the hash chain of the audit log from its beginning',
    access: 'admin',
    response: json(z.strictObject({ ok: z.boolean(), entries: z.int(), first_broken_id: z.int().nullable() })),
    errors: [],
  }),
  explainPolicy: route({
    method: 'POST',
    path: '/api/admin/policy/explain',
    summary: 'What the policy says for a user or role and a tool or permission, and why',
    access: 'admin',
    body: json(
      z
        .strictObject({
          user_id: Id.optional(),
          role: z.string().max(100).optional(),
          /** `<module>.<tool>`, or a permission such as `files.read`. */
          tool: z.string().min(1).max(200),
          arguments: z.record(z.string(), z.unknown()).optional(),
        })
        .refine((body) => (body.user_id === undefined) !== (body.role === undefined), {
          message: 'give either user_id or role',
        }),
    ),
    response: json(Decision.extend({ subject: z.string(), role: z.string(), known_tool: z.boolean() })),
    errors: ['not_found'],
  }),
}
