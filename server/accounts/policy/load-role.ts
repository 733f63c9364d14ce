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

const ROLE = query((db, is: { role_id: string }) =>
  db
    .selectFrom('role')
    .leftJoin('role_rule', 'role_rule.role_id', 'role.role_id')
    .select(['role.name', 'role.admin', 'role.revision', 'role.audit_reads', 'role_rule.subject', 'role_rule.effect'])
    .where('role.role_id', '=', is.role_id),
)

async function read(db: Reader, role_id: string): Promise<KnownRole | null> {
  const rows = await ROLE.all(db, { role_id })
  const [first] = rows
  if (!first) return null
  const rules = rows.flatMap(({ subject, effect }) =>
    subject === null || effect === null ? [] : [{ subject, effect }],
  )
  const { name, admin, audit_reads, revision } = first
  return { role: { role_id, name, admin: admin === 1, rules, audit_reads }, revision }
}
