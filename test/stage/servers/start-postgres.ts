import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { Database } from '../../../server/db/database.ts'
import { startPostgres, type PostgresServer } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the database `postgres` of the tests' server; null when only SQLite is tested. */
    postgresUrl: string | null
    /** An embedded database with its tables, as the first start of a service leaves it: a file to copy. */
    tablesFile: string
  }
}

/** The same on the tests' PostgreSQL: a database to copy. */
export const TABLES_DATABASE = 'with_tables'

/** No database lives long enough to need vacuuming; with hundreds of them, there would always be one that is looked at. */
const SETTINGS = { autovacuum: 'off', wal_level: 'minimal', max_wal_senders: '0' }

/** Of all projects: Node loads this file once for them, and runs `setup` and `teardown` once for each. */
let started: Promise<{ server: PostgresServer | null; folder: string }> | undefined

/** Vitest's global set-up: one PostgreSQL and one set of tables for all test files. REEVE_TEST_DATABASES=sqlite does without. */
export async function setup(project: TestProject): Promise<void> {
  started ??= start()
  const { server, folder } = await started
  project.provide('postgresUrl', server?.url ?? null)
  project.provide('tablesFile', join(folder, 'reeve.db'))
}

export async function teardown(): Promise<void> {
  if (started === undefined) return
  const { server, folder } = await started
  await server?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
}

async function start() {
  const names = process.env.REEVE_TEST_DATABASES?.split(',')
  const server = names === undefined || names.includes('postgres') ? await startPostgres(SETTINGS) : null
  const folder = await mkdtemp(join(tmpdir(), 'reeve-tables-'))
  await makeTables(null, folder)
  if (server !== null) {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query(`create database ${TABLES_DATABASE} template template0`)
    await client.end()
    const url = new URL(server.url)
    url.pathname = `/${TABLES_DATABASE}`
    await makeTables(url.href, folder)
  }
  return { server, folder }
}

async function makeTables(url: string | null, folder: string): Promise<void> {
  const onError = (error: Error): never => {
    throw error
  }
  await (await Database.open({ url, folder, onError }))[Symbol.asyncDispose]()
}
