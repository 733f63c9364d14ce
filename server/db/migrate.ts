import { type Kysely, sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import { appliedMigrations, completeEarlySchema } from './early-schema.ts'
import type { Tables } from './schema.ts'
import { MIGRATIONS, type Migration } from './migrations/index.ts'
import { OperatorProblem } from '../kernel/operator-problem.ts'

/** The database was written by a newer Reeve; this version would damage it. */
export class NewerDatabaseError extends OperatorProblem {
  override readonly name = 'NewerDatabaseError'

  constructor(names: readonly string[]) {
    super(
      `The database is newer than this program (it has ${names.join(', ')}). Start the version that wrote it, or restore a backup.`,
    )
  }
}

/** The names of the migrations that a database still needs; changes nothing. @throws {NewerDatabaseError} */
export async function pendingMigrations(db: Kysely<Tables>): Promise<string[]> {
  const done = new Set(await appliedMigrations(db))
  const known = new Set(MIGRATIONS.map(({ name }) => name))
  const unknown = [...done].filter((name) => !known.has(name))
  if (unknown.length > 0) throw new NewerDatabaseError(unknown)
  return MIGRATIONS.filter(({ name }) => !done.has(name)).map(({ name }) => name)
}

/**
 * Brings the schema up to date: each migration in one transaction, after a backup of a database that isn't empty.
 * Returns the names applied and the path of the backup.
 */
export async function migrate(
  db: Kysely<Tables>,
  dialect: Dialect,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<{ applied: string[]; backup: string | null }> {
  return dialect.exclusively(db, async () => {
    await db.schema
      .createTable('migration')
      .ifNotExists()
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .execute()
    const done = new Set(await appliedMigrations(db))
    const known = new Set(migrations.map((migration) => migration.name))
    const unknown = [...done].filter((name) => !known.has(name))
    if (unknown.length > 0) throw new NewerDatabaseError(unknown)

    const missing = migrations.filter((migration) => !done.has(migration.name))
    const backup = missing.length > 0 && done.size > 0 ? await dialect.backup(`before-${missing[0]!.name}`) : null
    if (missing.length > 0) await completeEarlySchema(db, dialect)
    for (const migration of missing) {
      await db.transaction().execute(async (trx) => {
        await dialect.unhurried(trx)
        await migration.up(trx as unknown as Kysely<unknown>, dialect)
        await sql`insert into migration (name, at) values (${migration.name}, ${Date.now()})`.execute(trx)
      })
    }
    return { applied: missing.map((migration) => migration.name), backup }
  })
}
