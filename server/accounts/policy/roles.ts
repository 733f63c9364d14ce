import type { z } from 'zod'
import type { accounts, Role } from '../../../contract/accounts.ts'
import type { Caller, HandlerInput } from '../../../contract/route.ts'
import { EVERYBODY, type Rule } from '../../../contract/rules.ts'
import type { ElevationTable } from '../../db/rows/account-tables.ts'
import type { Database, Reader, Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { newId } from '../../kernel/id.ts'
import { canonicalJson } from '../../kernel/text/canonical.ts'
import { fold, storable } from '../../kernel/text/plain-text.ts'
import { type AccountsContext, ACCOUNTS_LOCK } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { closeOpen, removeAll, tellClosed } from '../elevation/close-elevations.ts'
import { checkElevatable, readElevatable } from '../elevation/elevatable-roles.ts'
import { checkApprovers, refuseApprover } from './check-approvers.ts'
import { checkRules } from './check-rules.ts'
import { ruleKey } from './compiled-rules.ts'
import { readRule } from './load-role.ts'
import { ruleRow } from './rule-row.ts'
import { staleRules } from './stale-rules.ts'

type RoleEntry = z.input<typeof Role>
type RuleEntry = z.infer<typeof Rule>

/** All roles with their rules, in order of creation. */
export async function listRoles(context: AccountsContext): Promise<RoleEntry[]> {
  return (await readRoles(context.db.read)).map((role) => {
    const stale = staleRules(context, role.rules)
    return stale.length === 0 ? role : { ...role, stale }
  })
}

/** @throws {AppError} role_exists, and whatever `checkRules` does */
export async function createRole(
  context: AccountsContext,
  audit: Audit,
  caller: Caller,
  { name, rules }: HandlerInput<typeof accounts.createRole>['body'],
): Promise<RoleEntry> {
  const { db, clock } = context
  checkRules(context, rules, { everybody: false, stored: [] })
  return changeRoles(db, name, async (trx) => {
    await checkApprovers(trx, rules)
    const role_id = newId('role')
    const named = { name: storable(name), name_folded: fold(storable(name)) }
    await trx
      .insertInto('role')
      .values({ role_id, ...named, admin: 0, builtin: 0, created_at: clock() })
      .execute()
    await storeRules(trx, role_id, rules)
    const role = await findRole(trx, role_id)
    const details = { after: { name: role.name, rules: role.rules } }
    await audit.record(trx, { actor: caller, action: 'role.created', target: role_id, outcome: 'ok', details })
    return role
  })
}

/**
 * Renames a role, replaces all its rules, or changes what the audit log keeps of its users, or who may take it for a while:
 * then requests for it end, because others would decide about them now, and where nobody may, so does having it. The
 * revision the caller has seen prevents overwriting a change made by someone else since.
 * @throws {AppError} not_found, role_exists, role_builtin, role_changed, and whatever `checkRules` does
 */
export async function updateRole(
  context: AccountsContext,
  audit: Audit,
  caller: Caller,
  role_id: string,
  { name, rules, audit_reads, elevatable, revision }: HandlerInput<typeof accounts.updateRole>['body'],
): Promise<RoleEntry> {
  const { db, clock } = context
  return changeRoles(db, name ?? '', async (trx) => {
    const before = await findRole(trx, role_id)
    if (revision !== undefined && revision !== before.revision) throw roleChanged(before.name)
    if (name !== undefined && storable(name) !== before.name) {
      if (before.builtin) throw builtinRole(before.name)
      const named = { name: storable(name), name_folded: fold(storable(name)) }
      await trx.updateTable('role').set(named).where('role_id', '=', before.role_id).execute()
    }
    if (rules !== undefined) {
      checkRules(context, rules, { everybody: before.everybody === true, stored: before.rules })
      await checkApprovers(trx, rules)
      await storeRules(trx, before.role_id, rules)
    }
    if (audit_reads !== undefined)
      await trx.updateTable('role').set({ audit_reads }).where('role_id', '=', before.role_id).execute()
    let closed: ElevationTable[] = []
    if (elevatable !== undefined && canonicalJson(elevatable) !== canonicalJson(before.elevatable ?? null)) {
      if (elevatable !== null) await checkElevatable(trx, before, elevatable)
      await trx
        .updateTable('role')
        .set({ elevatable: elevatable && JSON.stringify(elevatable) })
        .where('role_id', '=', before.role_id)
        .execute()
      const which = { role_id: before.role_id, ...(elevatable !== null && { status: 'requested' as const }) }
      closed = await closeOpen(trx, which, { now: clock(), by: caller })
    }
    await trx
      .updateTable('role')
      .set((row) => ({ revision: row('revision', '+', 1) }))
      .where('role_id', '=', before.role_id)
      .execute()
    const after = await findRole(trx, role_id)
    const details = { before: recorded(before, after), after: recorded(after, before) }
    await audit.record(trx, { actor: caller, action: 'role.updated', target: before.role_id, outcome: 'ok', details })
    await tellClosed(context, audit, trx, caller, closed)
    return after
  })
}

/** @throws {AppError} not_found, role_builtin, role_in_use */
export async function deleteRole(
  context: AccountsContext,
  audit: Audit,
  caller: Caller,
  role_id: string,
): Promise<void> {
  const { db, clock } = context
  await changeRoles(db, '', async (trx) => {
    const role = await findRole(trx, role_id)
    if (role.builtin) throw builtinRole(role.name)
    if (role.users > 0)
      throw new AppError(
        'role_in_use',
        say`${role.users} users have the role “${role.name}”. Assign them another one first.`,
      )
    await refuseApprover(trx, role)
    const closed = await closeOpen(trx, { role_id: role.role_id }, { now: clock(), by: caller })
    await removeAll(trx, 'role_id', role.role_id)
    await trx.deleteFrom('role').where('role_id', '=', role.role_id).execute()
    const details = { before: { name: role.name, rules: role.rules } }
    await audit.record(trx, { actor: caller, action: 'role.deleted', target: role.role_id, outcome: 'ok', details })
    await tellClosed(context, audit, trx, caller, closed)
  })
}

/** What the audit log tells of a changed role. */
function recorded({ name, rules, audit_reads, elevatable }: RoleEntry, other: RoleEntry) {
  const same = canonicalJson(elevatable ?? null) === canonicalJson(other.elevatable ?? null)
  return {
    name,
    rules,
    ...(audit_reads === other.audit_reads ? {} : { audit_reads }),
    ...(same ? {} : { elevatable: elevatable ?? null }),
  }
}

async function changeRoles<T>(db: Database, name: string, work: (trx: Trx) => Promise<T>): Promise<T> {
  try {
    return await db.transaction(async (trx) => {
      await db.dialect.serialize(trx, ACCOUNTS_LOCK)
      db.wake(trx, 'rules')
      return work(trx)
    })
  } catch (error) {
    if (!db.isUniqueViolation(error)) throw error
    throw new AppError('role_exists', say`A role “${name}” already exists; case and accents are ignored.`)
  }
}

/** Makes these the rules of a role; one that it has already keeps its id. */
async function storeRules(trx: Trx, role_id: string, rules: readonly RuleEntry[]): Promise<void> {
  const wanted = new Map(rules.map((rule) => [ruleKey(rule), rule]))
  const stored = await trx.selectFrom('role_rule').selectAll().where('role_id', '=', role_id).execute()
  const gone = stored.filter(({ subject, effect, spec_hash }) => !wanted.delete(`${subject} ${effect} ${spec_hash}`))
  const ids = gone.map(({ rule_id }) => rule_id)
  if (ids.length > 0) await trx.deleteFrom('role_rule').where('rule_id', 'in', ids).execute()
  const rows = [...wanted.values()].map((rule) => ruleRow(role_id, rule))
  if (rows.length > 0) await trx.insertInto('role_rule').values(rows).execute()
}

async function findRole(db: Reader, role_id: string): Promise<RoleEntry> {
  const [role] = await readRoles(db, storable(role_id))
  if (!role) throw new AppError('not_found', say`There is no such role.`)
  return role
}

async function readRoles(db: Reader, role_id?: string): Promise<RoleEntry[]> {
  let query = db
    .selectFrom('role')
    .select(['role_id', 'name', 'name_folded', 'admin', 'builtin', 'revision', 'audit_reads', 'elevatable'])
    .select((row) =>
      row
        .selectFrom('user')
        .whereRef('user.role_id', '=', 'role.role_id')
        .select((user) => user.fn.countAll<number>().as('count'))
        .as('users'),
    )
    .orderBy('role_id')
  let ruleQuery = db.selectFrom('role_rule').selectAll().orderBy('subject').orderBy('effect').orderBy('rule_id')
  if (role_id !== undefined) {
    query = query.where('role_id', '=', role_id)
    ruleQuery = ruleQuery.where('role_id', '=', role_id)
  }
  const roles = await query.execute()
  const rules = Map.groupBy(await ruleQuery.execute(), (rule) => rule.role_id)
  return roles.map(({ name_folded, elevatable, ...role }) => ({
    ...role,
    ...(elevatable !== null && { elevatable: readElevatable({ elevatable })! }),
    admin: role.admin === 1,
    builtin: role.builtin === 1,
    users: Number(role.users),
    rules: (rules.get(role.role_id) ?? []).map(readRule),
    ...(name_folded === EVERYBODY ? { everybody: true as const } : {}),
  }))
}

function roleChanged(name: string): AppError {
  return new AppError(
    'role_changed',
    say`Someone else has changed the role “${name}” in the meantime. Review it, then save again.`,
  )
}

function builtinRole(name: string): AppError {
  return new AppError(
    'role_builtin',
    say`“${name}” is built in: its rules can be changed, but it cannot be renamed or deleted.`,
  )
}
