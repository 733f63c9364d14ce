import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import './start-postgres.ts'

export interface TestDatabase {
  readonly name: 'sqlite' | 'postgres'
  /** A database that nobody else uses, as REEVE_DATABASE_URL takes it: empty for SQLite (a file in the data folder). */
  readonly url: () => Promise<string>
}

/** A new, empty database on the tests' PostgreSQL. */
export async function createDatabase(): Promise<string> {
  const admin = inject('postgresUrl')
  if (admin === null) throw new Error('This run does without PostgreSQL (REEVE_TEST_DATABASES).')
  const name = `test_${randomBytes(8).toString('hex')}`
  const client = new pg.Client({ connectionString: admin })
  await client.connect()
  try {
    // template0 has no connections, so any number of these may run at once.
    await client.query(`create database ${name} template template0`)
  } finally {
    await client.end()
  }
  const url = new URL(admin)
  url.pathname = `/${name}`
  return url.href
}

const ALL: readonly TestDatabase[] = [
  { name: 'sqlite', url: () => Promise.resolve('') },
  { name: 'postgres', url: createDatabase },
]
const wanted = process.env.REEVE_TEST_DATABASES?.split(',')

/** For `describe.each(databases)('… on $name', (database) => …)`: every test of storage or of the API runs on both. */
export const databases = ALL.filter(({ name }) => wanted === undefined || wanted.includes(name))
