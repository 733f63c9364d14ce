import { PERMISSIONS, type Caller, type Effect, type Permission } from '../../../contract/route.ts'
import type { JudgedHost } from '../../chat/ports/hosts.ts'
import type { ListedTool, Policy, Verdict } from '../../chat/ports/policy.ts'
import type { Database } from '../../db/database.ts'
import { REVISION } from '../../db/revisions.ts'
import { query } from '../../db/statement.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { callsLike, coversCall } from './call-patterns.ts'
import type { PolicyTool } from './policy-tool.ts'
import { ELEVATION_COLUMNS, elevatedOf, elevationInForce, ROLE_IN_FORCE } from './role-in-force.ts'
import { ROLE_REVISION, type Roles } from './load-role.ts'
import { decideOn, mayUseHost } from './decide-on.ts'
import { decide, mildest, type Answer, type PolicyRole } from './permissions.ts'

const USER_COLUMNS = ['user.user_id', 'username', 'role.role_id', 'language', 'personal_prompt'] as const

const OWN_ROLE = query((db, is: { user_id: string; now: number }) =>
  db
    .selectFrom('user')
    .innerJoin('role', 'role.role_id', 'user.role_id')
    .select(USER_COLUMNS)
    .select([ROLE_REVISION.as('role_revision'), REVISION.as('revision')])
    .where('user.user_id', '=', is.user_id)
    .where('disabled_at', 'is', null),
)

/** By how somebody asks: a role that they have taken for a while counts only while they are there themselves. */
const USER = {
  session: query((db, is: { user_id: string; now: number }) =>
    db
      .selectFrom('user')
      .leftJoin('elevation', (join) => join.on(elevationInForce(is.now)))
      .innerJoin('role', (join) => join.on(ROLE_IN_FORCE))
      .select(USER_COLUMNS)
      .select(ELEVATION_COLUMNS)
      .select([ROLE_REVISION.as('role_revision'), REVISION.as('revision')])
      .where('user.user_id', '=', is.user_id)
      .where('disabled_at', 'is', null),
  ),
  token: OWN_ROLE,
  routine: OWN_ROLE,
}

/** Chat's policy port: user, role and rules as they are now. */
export function openPolicy(db: Database, roles: Roles, clock: () => number): Policy {
  return {
    like: callsLike,
    covers: coversCall,
    async forUser(user_id, scope, by) {
      const row = await USER[by].first(db.read, { user_id, now: clock() })
      const revision = Number(row?.revision ?? 0)
      // Whoever judges by this also looks at what this process knows of modules, machines and switches.
      if (row) await db.revisions.reach(revision)
      const role = row ? await roles.find(row.role_id, Number(row.role_revision)) : null
      if (!row || !role) return null
      const { user_id: id, username, role_id, language, personal_prompt } = row
      const elevated = elevatedOf(row)
      const said = ({ effect, reason, basis, needs, every_time, ruled_out }: Answer): Verdict => ({
        effect,
        basis,
        reason: reason.in(language),
        needs,
        // What others must agree to, nobody frees for a while.
        ...(effect === 'ask' && (every_time || needs.length > 0) ? { every_time: true } : {}),
        ...(ruled_out ? { ruled_out } : {}),
      })
      return {
        revision,
        user_id: id,
        username,
        role_id,
        ...(elevated && { elevated }),
        language,
        personal_prompt,
        audit_reads: role.audit_reads,
        permission: (permission) => said(decide(role, scope, { kind: 'permission', permission })),
        procedure: (procedure_id) => said(decide(role, scope, { kind: 'procedure', procedure_id })),
        list(tool) {
          const { effect, reason } = mildest(role, scope, policyTool(tool))
          return { effect, reason: reason.in(language) }
        },
        call(tool, args, { untrusted, hosts, procedure }) {
          const argumentsLength = JSON.stringify(args).length
          const question = {
            kind: 'tool' as const,
            tool: policyTool(tool),
            argumentsLength,
            args,
            untrusted,
            procedure,
          }
          return said(decideOn(role, scope, question, hosts))
        },
        mayUse: (host) => mayUseHost(role, host),
      }
    },
  }
}

/** A tool of the port as the engine judges it. */
function policyTool(tool: ListedTool): PolicyTool {
  const { module, name, effect, builtin, reach, agreed, definition_hash, input_schema, real_paths, fill } = tool
  const rated = { module, name, effect, builtin, reach, agreed }
  if (definition_hash === undefined || input_schema === undefined || fill === undefined) return rated
  return { ...rated, definition: { definition_hash, input_schema, real_paths: real_paths === true, fill } }
}

/** A tool as administrators' questions are answered by; undefined if there is none. */
export function knownTool(tool: ListedTool | undefined): PolicyTool | undefined {
  return tool && policyTool(tool)
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

/** Which machines the caller may use, whatever the tool. */
export async function callerHosts(roles: Roles, caller: Caller): Promise<(host: JudgedHost) => boolean> {
  const role = await callerRole(roles, caller)
  return (host) => mayUseHost(role, host)
}

async function callerRole(roles: Roles, caller: Caller): Promise<PolicyRole> {
  const role = await roles.find(caller.role_id, caller.role_revision)
  // The role can disappear between the gate and here: its last user was moved to another one, and the session ended.
  if (!role) throw new AppError('not_signed_in', say`Your role has changed. Sign in again.`)
  return role
}
