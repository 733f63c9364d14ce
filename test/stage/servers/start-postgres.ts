import type { TestProject } from 'vitest/node'
import { startPostgres, type PostgresServer } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the database `postgres` of the tests' server; null when only SQLite is tested. */
    postgresUrl: string | null
  }
}

/** Of all projects: Node loads this file once for them, and runs `setup` and `teardown` once for each. */
let server: Promise<PostgresServer> | undefined

/** Vitest's global set-up: one PostgreSQL for all test files. REEVE_TEST_DATABASES=sqlite does without. */
export async function setup(project: TestProject): Promise<void> {
  const names = process.env.REEVE_TEST_DATABASES?.split(',')
  if (names === undefined || names.includes('postgres')) server ??= startPostgres()
  project.provide('postgresUrl', (await server)?.url ?? null)
}

export async function teardown(): Promise<void> {
  await (await server)?.[Symbol.asyncDispose]()
}
