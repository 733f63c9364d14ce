import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { storageFailure } from '../server/kernel/storage-failure.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

/** A database whose owner may have so many connections; a superuser may have any number. */
async function limitedDatabase(connections: number): Promise<string> {
  const url = new URL(await createDatabase())
  const role = `limited_${url.pathname.slice(6)}`
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    await client.query(`create role ${role} login password 'limited' connection limit ${connections}`)
    await client.query(`alter database ${url.pathname.slice(1)} owner to ${role}`)
    await client.query(`alter schema public owner to ${role}`)
  } finally {
    await client.end()
  }
  url.username = role
  url.password = 'limited'
  return url.href
}

/** Keeps `n` connections busy until they are let go. */
function occupy({ app }: TestApp, n: number) {
  const busy = Array.from({ length: n }, () =>
    sql`select pg_sleep(25)`.execute(app.db.write).catch((error: unknown) => error),
  )
  return { busy: Promise.all(busy) }
}

describe.runIf(databases.some(({ name }) => name === 'postgres'))('connections to PostgreSQL', () => {
  test('where it takes no more, requests wait for those there are', { timeout: 120_000 }, async () => {
    const url = await limitedDatabase(4)
    const at = { name: 'postgres' as const, url: () => Promise.resolve(url) }
    await using service = await startTestApp({ database: at, env: { REEVE_DATABASE_POOL: '12' } })
    const client = await service.as('admin')
    const asked = Array.from({ length: 40 }, () => client.call(contract.chat.history))
    expect(await Promise.all(asked)).toHaveLength(40)
    expect(await service.anonymous().call(contract.operation.ready)).toEqual({ status: 'ok' })
  })

  test('where all are in use it is not ready, and says so', { timeout: 60_000 }, async () => {
    const url = await createDatabase()
    const at = { name: 'postgres' as const, url: () => Promise.resolve(url) }
    await using service = await startTestApp({ database: at, env: { REEVE_DATABASE_POOL: '4' } })
    const client = await service.as('admin')
    const { busy } = occupy(service, 4)
    await until(async () => {
      const answer = await client.fetch('/readyz')
      return answer.status === 503 && (await answer.text()).includes('All connections to the database are in use.')
    })
    await end(service)
    await busy
    await until(async () => (await client.fetch('/readyz')).status === 200)
    expect(await service.anonymous().call(contract.operation.ready)).toEqual({ status: 'ok' })
  })

  test('where it takes no more and all are in use, it is not ready either', { timeout: 60_000 }, async () => {
    // One of them listens.
    const url = await limitedDatabase(4)
    const at = { name: 'postgres' as const, url: () => Promise.resolve(url) }
    await using service = await startTestApp({ database: at, env: { REEVE_DATABASE_POOL: '12' } })
    const client = await service.as('admin')
    const { busy } = occupy(service, 3)
    await until(async () => (await sleeping(service)) === 3, { what: 'the three others sleep' })
    // As a balancer asks: whoever is signed in waits for a connection first, to be known.
    const answer = await service.anonymous().fetch('/readyz')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    await end(service)
    await busy
    await until(async () => (await client.fetch('/readyz')).status === 200)
  })

  test('what says that it is away is one kind of error, and nothing else is', async () => {
    const url = await createDatabase()
    const at = { name: 'postgres' as const, url: () => Promise.resolve(url) }
    await using service = await startTestApp({ database: at })
    const failing = async (code: string): Promise<unknown> => {
      const raise = sql.raw(`do $$ begin raise exception 'no' using errcode = '${code}'; end $$`)
      try {
        return await raise.execute(service.app.db.write)
      } catch (error) {
        return storageFailure(error)
      }
    }
    for (const code of ['08006', '25P03', '53300', '55P03', '57014', '57P01', '57P02', '57P03'])
      expect([code, await failing(code)]).toEqual([code, 'away'])
    for (const code of ['22012', '23505', '40P01', '42P01']) expect([code, await failing(code)]).toEqual([code, null])
    expect(await failing('53100')).toBe('full')
  })
})

/** Ends the statements that `occupy` began. */
async function end(service: TestApp): Promise<void> {
  await ask(
    service,
    `select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and query like '%pg_sleep%'`,
  )
}

/** How many of them PostgreSQL is at. */
async function sleeping(service: TestApp): Promise<number> {
  const rows = await ask(
    service,
    `select pid from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = 'active' and query like '%pg_sleep%'`,
  )
  return rows.length
}

/** Asks by a connection of its own, as a superuser. */
async function ask({ databaseUrl }: TestApp, statement: string): Promise<unknown[]> {
  const own = new URL(databaseUrl)
  const admin = new URL(inject('postgresUrl')!)
  admin.pathname = own.pathname
  const client = new pg.Client({ connectionString: admin.href })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
