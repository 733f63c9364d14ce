import { randomBytes } from 'node:crypto'
import { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { LISTENING } from '../postgres/listening-processes.ts'
import { postgresProblem } from '../postgres/postgres-problem.ts'
import type { Tables } from '../schema.ts'
import { openPostgresSnapshot } from './postgres-snapshot.ts'
import type { Snapshot } from './snapshot.ts'
import { postgresTypes } from '../postgres/postgres-types.ts'

const TABLES = `select relname as name, relispartition as part from pg_class where relkind in ('r', 'p') and relnamespace = $1::regnamespace`

/** Where a snapshot is loaded in a PostgreSQL database: a schema of its own, which replaces ours in one transaction. */
export interface PostgresPlace extends AsyncDisposable {
  readonly db: Kysely<Tables>
  readonly dialect: Dialect
  snapshot(): Promise<Snapshot>
  /**
   * Replaces the existing content by what was loaded. The old content is kept in the schema that is returned; null if
   * there was none.
   */
  commit(): Promise<string | null>
}

/** The current content of a database: our tables, and processes of ours that listen. */
export async function lookAtPostgres(url: string): Promise<{ occupied: boolean; inUse: boolean }> {
  return withClient(url, async (all) => {
    const tables = await all<{ name: string }>(`${TABLES} and relname = 'migration'`, [await schemaOf(all)])
    const listening = await all(LISTENING)
    return { occupied: tables.length > 0, inUse: listening.length > 0 }
  })
}

export async function openPostgresPlace(url: string): Promise<PostgresPlace> {
  const id = randomBytes(6).toString('hex')
  const loading = `reeve_restoring_${id}`
  const ours = await withClient(url, async (all) => {
    const schema = await schemaOf(all)
    // What a killed restore left behind.
    for (const { name } of await all<{ name: string }>(
      `select nspname as name from pg_namespace where nspname like 'reeve\\_restoring\\_%'`,
    ))
      await all(`drop schema "${name}" cascade`)
    await all(`create schema "${loading}"`)
    return schema
  })
  const inside = new URL(url)
  inside.searchParams.set('options', `-c search_path=${loading}`)
  const opened = await openPostgres(inside.href, { onError: () => undefined })
  const db = new Kysely<Tables>({ dialect: opened.kysely })
  let closed = false
  const close = async (): Promise<void> => {
    if (closed) return
    closed = true
    await db.destroy()
    await opened.dialect.close()
  }
  return {
    db,
    dialect: opened.dialect,
    snapshot: () => openPostgresSnapshot(inside.href),
    async commit() {
      await close()
      return withClient(url, async (all) => {
        const aside = `reeve_before_restore_${id}`
        await all('begin')
        const before = await all<{ name: string; part: boolean }>(TABLES, [ours])
        const known = new Set((await all<{ name: string }>(TABLES, [loading])).map(({ name }) => name))
        // The parts of a divided table are named by what is in it.
        const replaced = before.filter(({ name, part }) => part || known.has(name))
        if (replaced.length > 0) await all(`create schema "${aside}"`)
        for (const { name } of replaced) await all(`alter table "${ours}"."${name}" set schema "${aside}"`)
        for (const name of known) await all(`alter table "${loading}"."${name}" set schema "${ours}"`)
        await all(`drop schema "${loading}" cascade`)
        await all('commit')
        return replaced.length > 0 ? aside : null
      })
    },
    async [Symbol.asyncDispose]() {
      await close()
      await withClient(url, (all) => all(`drop schema if exists "${loading}" cascade`))
    },
  }
}

type All = <T extends object>(sql: string, values?: unknown[]) => Promise<T[]>

async function schemaOf(all: All): Promise<string> {
  const [row] = await all<{ schema: string | null }>('select current_schema() as schema')
  return row?.schema ?? 'public'
}

async function withClient<T>(url: string, work: (all: All) => Promise<T>): Promise<T> {
  const pg = (await import('pg')).default
  const client = new pg.Client({ connectionString: url, types: postgresTypes(pg), keepAlive: true })
  client.on('error', () => undefined)
  await client.connect().catch((error: unknown) => {
    throw postgresProblem(url, error)
  })
  try {
    return await work(
      async <R extends object>(sql: string, values: unknown[] = []) => (await client.query(sql, values)).rows as R[],
    )
  } finally {
    await client.end()
  }
}
