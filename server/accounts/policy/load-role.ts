import { sql } from 'kysely'
import type { z } from 'zod'
import type { RuleSpec } from '../../../contract/rule-conditions.ts'
import { EVERYBODY, type Rule } from '../../../contract/rules.ts'
import type { RoleRuleTable } from '../../db/rows/account-tables.ts'
import type { Database, Reader } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import type { PolicyRole } from './permissions.ts'

/**
 * A role with all its rules, in one query; null when there is none. No rule may be left out: it could be the one that
 * denies.
 */
export async function loadRole(db: Reader, role_id: string): Promise<PolicyRole | null> {
  return (await read(db, role_id))?.role ?? null
}

interface KnownRole {
  readonly role: PolicyRole
  readonly revision: number
}

/**
 * The roles of a database, each read again only once its revision has changed. Whoever asks has read the revision along
 * with the user, a moment ago: this is never older than that, in any process.
 */
export class Roles {
  readonly #db: Database
  readonly #known = new Map<string, KnownRole>()

  constructor(db: Database) {
    this.#db = db
  }

  /** Null when there is no such role any more. */
  async find(role_id: string, revision: number): Promise<PolicyRole | null> {
    const known = this.#known.get(role_id)
    if (known?.revision === revision) return known.role
    const found = await read(this.#db.read, role_id)
    if (found) this.#known.set(role_id, found)
    else this.#known.delete(role_id)
    return found?.role ?? null
  }
}

/**
 * What a role's rules are known by: it grows with every change of the role, and of the one that binds everybody. Of a
 * query that has the table `role`.
 */
export const ROLE_REVISION = sql<number>`role.revision + coalesce((select common.revision from role as common
  where common.name_folded = ${sql.lit(EVERYBODY)} and common.builtin = 1), 0)`

const ROLE = query((db, is: { role_id: string }) =>
  db
    .selectFrom('role')
    .leftJoin('role as common', (join) =>
      join.on('common.name_folded', '=', sql.lit(EVERYBODY)).on('common.builtin', '=', sql.lit(1)),
    )
    .leftJoin('role_rule', (join) =>
      join.on((on) =>
        on.or([
          on('role_rule.role_id', '=', on.ref('role.role_id')),
          on('role_rule.role_id', '=', on.ref('common.role_id')),
        ]),
      ),
    )
    .select(['role.name', 'role.admin', 'role.audit_reads', 'common.role_id as common'])
    .select((from) =>
      from
        .selectFrom('role as first')
        .select('first.role_id')
        .where('first.admin', '=', 1)
        .where('first.builtin', '=', 1)
        .limit(1)
        .as('administrators'),
    )
    .select(['role_rule.role_id as of', 'role_rule.subject', 'role_rule.effect', 'role_rule.spec'])
    .select(ROLE_REVISION.as('revision'))
    .where('role.role_id', '=', is.role_id),
)

async function read(db: Reader, role_id: string): Promise<KnownRole | null> {
  const rows = await ROLE.all(db, { role_id })
  const [first] = rows
  if (!first) return null
  const { name, admin, audit_reads, revision, common } = first
  const everybody = common === role_id
  const rulesOf = (own: boolean) =>
    rows.flatMap(({ of, subject, effect, spec }) =>
      subject === null || effect === null || spec === null || (of === role_id) !== own
        ? []
        : [readRule({ subject, effect, spec })],
    )
  const role = {
    role_id,
    name,
    admin: admin === 1,
    rules: rulesOf(true),
    common: rulesOf(false),
    everybody,
    administrators: first.administrators ?? '',
    audit_reads,
  }
  return { role, revision: Number(revision) }
}

/** A rule as stored. */
export function readRule({
  subject,
  effect,
  spec,
}: Pick<RoleRuleTable, 'subject' | 'effect' | 'spec'>): z.infer<typeof Rule> {
  return { subject, effect, ...(JSON.parse(spec) as RuleSpec) }
}
