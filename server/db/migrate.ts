import { type Kysely, sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import { appliedMigrations, completeEarlySchema, hasColumn } from './early-schema.ts'
import type { Tables } from './schema.ts'
import { MIGRATIONS, type Migration } from './migrations/index.ts'
import { OperatorProblem } from '../kernel/operator-problem.ts'

/** The database was written by a newer Reeve, and no longer has what this version needs. */
export class NewerDatabaseError extends OperatorProblem {
  override readonly name = 'NewerDatabaseError'

  constructor(names: readonly string[]) {
    super(
      `The database is newer than this program (it has ${names.join(', ')}). Start the version that wrote it, or restore a backup.`,
    )
  }
}

/** Something is to be taken away that a running process of an older version may still need. */
class OthersRun extends OperatorProblem {
  override readonly name = 'OthersRun'

  constructor(name: string) {
    super(
      `The migration ${name} must come before others that this version needs, and takes away what an older version uses, of which a process may be running on this database. Stop every other process first.`,
    )
  }
}

/** Which migrations a database still needs, in order, by name. */
export interface Pending {
  /** Without these, this version cannot work. */
  readonly needed: readonly string[]
  /** Only contract migrations: this version works with and without them. */
  readonly contract: readonly string[]
}

/**
 * What a database still needs; changes nothing. A newer version may have added to it, which harms nobody.
 * @throws {NewerDatabaseError} when it has taken away, too
 */
export async function pendingMigrations(
  db: Kysely<Tables>,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Pending> {
  const done = new Set((await readDone(db, migrations)).map(({ name }) => name))
  return divide(migrations.filter(({ name }) => !done.has(name)))
}

/**
 * When contract migrations are applied: `alone`: if no other process is on this database; `always`: somebody who knows
 * says that nobody needs the old form.
 */
export type ContractWhen = 'alone' | 'always'

/**
 * Brings the schema up to date: each migration in one transaction, after a backup of a database that isn't empty. The
 * contract migrations at the end of the list stay pending while other processes run. Returns the names applied,
 * those left pending, and the path of the backup. @throws {NewerDatabaseError, OperatorProblem}
 */
export async function migrate(
  db: Kysely<Tables>,
  dialect: Dialect,
  migrations: readonly Migration[] = MIGRATIONS,
  contract: ContractWhen = 'alone',
): Promise<{ applied: string[]; contract: readonly string[]; backup: string | null }> {
  return dialect.exclusively(db, async () => {
    await makeTable(db, dialect)
    const done = new Set((await readDone(db, migrations)).map(({ name }) => name))
    const missing = migrations.filter((migration) => !done.has(migration.name))
    const left = divide(missing)
    const may = done.size === 0 || contract === 'always' || missing.every(isExpand) || !(await dialect.othersRun(db))
    const now = may ? missing : missing.filter(({ name }) => left.needed.includes(name))
    const early = may ? undefined : now.find((migration) => !isExpand(migration))
    if (early) throw new OthersRun(early.name)

    const backup = now.length > 0 && done.size > 0 ? await dialect.backup(`before-${now[0]!.name}`) : null
    if (now.length > 0) await completeEarlySchema(db, dialect)
    for (const migration of now) {
      await dialect.changeSchema(db, async (trx) => {
        await migration.up(trx as unknown as Kysely<unknown>, dialect)
        await sql`insert into migration (name, at, kind) values (${migration.name}, ${Date.now()}, ${migration.kind})`.execute(
          trx,
        )
      })
    }
    return { applied: now.map(({ name }) => name), contract: may ? [] : left.contract, backup }
  })
}

function isExpand({ kind }: Migration): boolean {
  return kind === 'expand'
}

/** The contract migrations after the last expanding one can wait; nothing before it can. */
function divide(missing: readonly Migration[]): Pending {
  const names = missing.map(({ name }) => name)
  const needed = missing.findLastIndex(isExpand) + 1
  return { needed: names.slice(0, needed), contract: names.slice(needed) }
}

/** The table of migrations. Versions before the two kinds wrote theirs without one, and still can. */
async function makeTable(db: Kysely<Tables>, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('migration')
    .ifNotExists()
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull().defaultTo('expand'))
    .execute()
  if (!(await hasColumn(db, dialect, 'migration', 'kind')))
    await sql`alter table migration add column kind text not null default 'expand'`.execute(db)
}

/** The migrations that made this database. @throws {NewerDatabaseError} */
async function readDone(db: Kysely<Tables>, migrations: readonly Migration[]): Promise<readonly { name: string }[]> {
  const done = await appliedMigrations(db)
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = done.filter(({ name, kind }) => !known.has(name) && kind === 'contract')
  if (unknown.length > 0) throw new NewerDatabaseError(unknown.map(({ name }) => name))
  return done
}
