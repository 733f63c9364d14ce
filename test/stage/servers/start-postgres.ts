import type { TestProject } from 'vitest/node'
import { startPostgres, type PostgresServer } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the database `postgres` of the tests' server; null when only SQLite is tested. */
    postgresUrl: string | null
  }
}

let server: PostgresServer | null = null

/** Vitest's global set-up: one PostgreSQL for all test files of a project. REEVE_TEST_DATABASES=sqlite does without. */
export async function setup(project: TestProject): Promise<void> {
  const names = process.env.REEVE_TEST_DATABASES?.split(',')
  server = names === undefined || names.includes('postgres') ? await startPostgres() : null
  project.provide('postgresUrl', server?.url ?? null)
}

export async function teardown(): Promise<void> {
  await server?.[Symbol.asyncDispose]()
}
