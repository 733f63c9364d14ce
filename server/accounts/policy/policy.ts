import { PERMISSIONS, type Caller, type Effect, type Permission } from '../../../contract/route.ts'
import type { Policy, UserPolicy, Verdict } from '../../chat/ports/policy.ts'
import type { Database } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import type { PolicyTool } from './policy-tool.ts'
import type { Roles } from './load-role.ts'
import { decide, type Answer, type PolicyRole } from './permissions.ts'

/** What accounts adds to the port: the size of a tool's arguments may be given along with the tool. */
export interface AccountPolicy extends UserPolicy {
  /** `argumentsLength`: characters of the arguments as JSON, if known. */
  tool(tool: PolicyTool, argumentsLength?: number): Verdict
}

export interface AccountsPolicy extends Policy {
  forUser(user_id: string, scope: readonly string[] | null): Promise<AccountPolicy | null>
}

const USER = query((db, is: { user_id: string }) =>
  db
    .selectFrom('user')
    .innerJoin('role', 'role.role_id', 'user.role_id')
    .select(['user_id', 'username', 'user.role_id', 'language', 'personal_prompt', 'role.revision'])
    .where('user_id', '=', is.user_id)
    .where('disabled_at', 'is', null),
)

/** Chat's policy port: user, role and rules as they are now. */
export function openPolicy(db: Database, roles: Roles): AccountsPolicy {
  return {
    async forUser(user_id, scope) {
      const row = await USER.first(db.read, { user_id })
      const role = row ? await roles.find(row.role_id, row.revision) : null
      if (!row || !role) return null
      const { revision: _revision, ...user } = row
      const said = ({ effect, reason, basis }: Answer): Verdict => ({ effect, basis, reason: reason.in(user.language) })
      return {
        ...user,
        audit_reads: role.audit_reads,
        permission: (permission) => said(decide(role, scope, { kind: 'permission', permission })),
        tool: (tool, argumentsLength = 0) => said(decide(role, scope, { kind: 'tool', tool, argumentsLength })),
      }
    },
  }
}

/** Effect and reason of one permission for a caller, now. */
export async function callerPermission(roles: Roles, caller: Caller, permission: Permission): Promise<Answer> {
  return decide(await callerRole(roles, caller), caller.scope, { kind: 'permission', permission })
}

/** Name of the caller's role and the effect of every permission, now. */
export async function callerPermissions(
  roles: Roles,
  caller: Caller,
): Promise<{ role: string; permissions: Record<Permission, Effect> }> {
  const role = await callerRole(roles, caller)
  const effectOf = (permission: Permission) => decide(role, caller.scope, { kind: 'permission', permission }).effect
  const effects = PERMISSIONS.map((permission) => [permission, effectOf(permission)])
  return { role: role.name, permissions: Object.fromEntries(effects) as Record<Permission, Effect> }
}

async function callerRole(roles: Roles, caller: Caller): Promise<PolicyRole> {
  const role = await roles.find(caller.role_id, caller.role_revision)
  // The role can disappear between the gate and here: its last user was moved to another one, and the session ended.
  if (!role) throw new AppError('not_signed_in', say`Your role has changed. Sign in again.`)
  return role
}
