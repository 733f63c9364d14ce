import type { Reader } from '../../db/database.ts'
import type { PolicyRole } from './permissions.ts'

/**
 * A role with all its rules, in one query; null when there is none. No rule may be left out: it could be the one that
 * denies.
 */
export async function loadRole(db: Reader, role_id: string): Promise<PolicyRole | null> {
  const rows = await db
    .selectFrom('role')
    .leftJoin('role_rule', 'role_rule.role_id', 'role.role_id')
    .select(['role.name', 'role.admin', 'role_rule.subject', 'role_rule.effect'])
    .where('role.role_id', '=', role_id)
    .execute()
  const [first] = rows
  if (!first) return null
  const rules = rows.flatMap(({ subject, effect }) =>
    subject === null || effect === null ? [] : [{ subject, effect }],
  )
  return { role_id, name: first.name, admin: first.admin === 1, rules }
}
