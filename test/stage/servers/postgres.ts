import { randomBytes } from 'node:crypto'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { TABLES_DATABASE } from './start-postgres.ts'

export interface TestDatabase {
  readonly name: 'sqlite' | 'postgres'
  /** A database that nobody else uses, as REEVE_DATABASE_URL takes it: empty for SQLite (a file in the data folder). */
  readonly url: () => Promise<string>
  /**
   * The same with its tables, for what begins after the first start: making them takes longer than the rest of a start.
   * `folder` is the data folder.
   */
  readonly withTables?: (folder: string) => Promise<string>
}

/** A new database on the tests' PostgreSQL: template0 makes an empty one. */
export async function createDatabase(template = 'template0'): Promise<string> {
  const admin = inject('postgresUrl')
  if (admin === null) throw new Error('This run does without PostgreSQL (REEVE_TEST_DATABASES).')
  const name = `test_${randomBytes(8).toString('hex')}`
  const client = new pg.Client({ connectionString: admin })
  await client.connect()
  try {
    // Templates have no connections, so any number of these may run at once. Copied files: no log is written of them.
    await client.query(`create database ${name} template ${template} strategy file_copy`)
  } finally {
    await client.end()
  }
  const url = new URL(admin)
  url.pathname = `/${name}`
  return url.href
}

const ALL: readonly TestDatabase[] = [
  {
    name: 'sqlite',
    url: () => Promise.resolve(''),
    async withTables(folder) {
      await copyFile(inject('tablesFile'), join(folder, 'reeve.db'))
      return ''
    },
  },
  { name: 'postgres', url: () => createDatabase(), withTables: () => createDatabase(TABLES_DATABASE) },
]
const wanted = process.env.REEVE_TEST_DATABASES?.split(',')

/** For `describe.each(databases)('… on $name', (database) => …)`: every test of storage or of the API runs on both. */
export const databases = ALL.filter(({ name }) => wanted === undefined || wanted.includes(name))
