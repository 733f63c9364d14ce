import { CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { Activity } from '../server/chat/history/activity.ts'
import type { Database } from '../server/db/database.ts'
import { eventPartitions, LASTING_HALF, PASSING_HALF } from '../server/db/event-partitions.ts'
import { isEvent, openFeed } from './stage/activity-feed.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { openBareDatabase } from './stage/databases/bare-database.ts'
import { openFolder } from './stage/open-folder.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'
import { migrate } from '../server/db/migrate.ts'
import { MIGRATIONS } from '../server/db/migrations/index.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

describe.runIf(databases.some(({ name }) => name === 'postgres'))('events in partitions', () => {
  let app: TestApp
  let db: Database
  let activity: Activity
  let user_id: string
  /** Statements that deleted events row by row. */
  let deleted = 0
  const reads: string[] = []
  const start = Date.now()
  beforeAll(async () => {
    const database = databases.find(({ name }) => name === 'postgres')!
    app = await startTestApp({
      database,
      builtins: [],
      observe: (statement) => {
        deleted += Number(statement.startsWith('delete from "event"'))
        if (statement.startsWith('select * from "event"')) reads.push(statement)
      },
    })
    await app.as('admin')
    db = app.app.db
    activity = new Activity(db)
    user_id = (await db.read.selectFrom('user').select('user_id').executeTakeFirstOrThrow()).user_id
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const names = async (half = PASSING_HALF) => (await eventPartitions(db.read, half)).map(({ name }) => name)
  const count = async (table: string) =>
    (await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db.read)).rows[0]!.n
  /** As many events of a type, evenly in the minute that ends at `at`. */
  const fill = (type: string, rows: number, at: number) =>
    sql`insert into event (user_id, type, data, at) select ${user_id}, ${type}, '{}',
      ${at - MINUTE}::bigint + n * ${MINUTE}::bigint / ${rows}::bigint from generate_series(1, ${rows}::int) as n`.execute(
      db.write,
    )
  /** The next event gets this id. */
  const jump = (id: number) => sql`select setval('event_id_seq', ${id}, false)`.execute(db.write)
  const stride = (by: number) => sql.raw(`alter sequence event_id_seq increment by ${by}`).execute(db.write)

  test('an hour of 500 deltas a second stays bounded, and what is old is dropped, not deleted', async () => {
    // Each row stands for a hundred: it takes as many ids.
    await stride(100)
    let most = 0
    let partitions = 0
    for (let minute = 1; minute <= 60; minute++) {
      await fill('run.delta', 300, start + minute * MINUTE)
      await fill('run.started', 3, start + minute * MINUTE)
      await activity.prune(start + minute * MINUTE)
      most = Math.max(most, await count('event_passing'))
      partitions = Math.max(partitions, (await names()).length)
    }
    await stride(1)
    // Ten minutes, the partition that they began in, and one minute until somebody looks.
    expect(most).toBeLessThanOrEqual(3000 + 1000 + 300)
    expect(partitions).toBeLessThanOrEqual(7)
    expect(await count('event_passing_rest')).toBe(0)
    expect(await count('event_lasting')).toBeGreaterThanOrEqual(180)
    expect(deleted).toBe(0)
  })

  test('whoever had not read what was dropped gets a snapshot', async () => {
    const client = await app.signIn('admin')
    const [first] = await eventPartitions(db.read, PASSING_HALF)
    const before = first!.from! + 1
    await activity.prune(start + 90 * MINUTE)
    expect(await names()).not.toContain(first!.name)
    await using feed = await openFeed(client, { after: before })
    await feed.until(isEvent('snapshot'))
    expect(feed.received[0]!.event).toBe('reset')
    const { cursor } = await client.call(contract.chat.activity)
    expect(cursor).toBeGreaterThanOrEqual(first!.to - 1)
  })

  test('while somebody reads for long, nothing is dropped and nobody waits; afterwards it is', async () => {
    const last = (await eventPartitions(db.read, PASSING_HALF)).at(-1)!
    await jump(last.from!)
    await fill('run.delta', 10, start)
    await jump(last.to)
    await activity.prune(start)
    const reading = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    // As a backup does.
    const backup = db.transaction(async (trx) => {
      await sql`select count(*) from event`.execute(trx)
      begun.resolve()
      await reading.promise
    })
    await begun.promise
    await activity.prune(start + 20 * MINUTE)
    expect(await names()).toContain(last.name)
    await fill('run.delta', 1, start)
    reading.resolve()
    await backup
    await activity.prune(start + 20 * MINUTE)
    expect(await names()).not.toContain(last.name)
  })

  test('what has no partition is kept and read all the same, and the next one begins behind it', async () => {
    const last = (await eventPartitions(db.read, PASSING_HALF)).at(-1)!
    await jump(last.to + PASSING_HALF.size + 5)
    await fill('run.delta', 3, start)
    expect(await count('event_passing_rest')).toBe(3)
    await activity.prune(start)
    const after = await eventPartitions(db.read, PASSING_HALF)
    expect(after.at(-1)!.from).toBeGreaterThan(last.to + PASSING_HALF.size)
    await fill('run.delta', 1, start)
    expect((await activity.after(user_id, last.to)).filter(({ type }) => type === 'run.delta')).toHaveLength(4)
    await activity.prune(start + 11 * MINUTE)
    expect(await count('event_passing_rest')).toBe(0)
  })

  test('what filled a partition slowly goes row by row, in time', async () => {
    const [first] = await names(LASTING_HALF)
    expect(await names(LASTING_HALF)).toHaveLength(2)
    await jump(LASTING_HALF.size * 2)
    await fill('run.started', 5, start - 30 * DAY)
    await activity.prune(start)
    expect(await count('event_lasting')).toBeGreaterThan(0)
    await activity.prune(start + 9 * DAY)
    expect(await count('event_lasting')).toBe(0)
    expect(await names(LASTING_HALF)).not.toContain(first)
  })

  test('whoever has read nearly everything reads the newest partitions only', async () => {
    const last = (await eventPartitions(db.read, PASSING_HALF)).at(-1)!
    await jump(last.from! + 1)
    await fill('run.delta', 5, start)
    reads.length = 0
    await activity.after(user_id, last.from!)
    const [statement] = reads
    const parameters = [user_id, last.from!, 100]
    const { rows } = await db.write.executeQuery<{ 'QUERY PLAN': string }>(
      CompiledQuery.raw(`explain ${statement}`, parameters),
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain(last.name)
    const older = [...(await names()), ...(await names(LASTING_HALF))].filter((name) => name !== last.name)
    const lastLasting = (await names(LASTING_HALF)).at(-1)!
    expect(older.length).toBeGreaterThan(1)
    for (const name of older.filter((each) => each !== lastLasting)) expect(plan).not.toContain(`${name} `)
  })

  test('two processes that prune at the same time do it once', async () => {
    const last = (await eventPartitions(db.read, PASSING_HALF)).at(-1)!
    await jump(last.to - 1)
    await fill('run.delta', 5, start)
    const other = new Activity(db)
    await Promise.all([1, 2, 3].flatMap(() => [activity.prune(start + DAY), other.prune(start + DAY)]))
    expect((await names()).length).toBe(new Set(await names()).size)
  })

  test('a table of before becomes the first partition: ids go on, and only what passes is gone', async () => {
    await using closing = new AsyncDisposableStack()
    await using bare = await openBareDatabase(await createDatabase(), await openFolder(closing))
    const at = MIGRATIONS.findIndex(({ name }) => name === '0041-event-partitions')
    await migrate(bare.db, bare.dialect, MIGRATIONS.slice(0, at))
    await sql`insert into role (role_id, name, name_folded, admin, builtin, created_at) values ('rol_1', 'r', 'r', 0, 0, 1)`.execute(
      bare.db,
    )
    await sql`insert into "user" (user_id, username, username_folded, display_name, role_id, language, personal_prompt, created_at)
      values ('usr_1', 'u', 'u', 'u', 'rol_1', 'en', '', 1)`.execute(bare.db)
    const add = (type: string) =>
      sql`insert into event (user_id, type, data, at) values ('usr_1', ${type}, '{}', 1)`.execute(bare.db)
    for (const type of ['run.started', 'run.delta', 'run.completed', 'run.delta']) await add(type)
    await migrate(bare.db, bare.dialect, MIGRATIONS.slice(0, at + 1))
    await add('run.delta')
    const { rows } = await sql`select id, type, tableoid::regclass::text as in from event order by id`.execute(bare.db)
    expect(rows).toEqual([
      { id: 1, type: 'run.started', in: 'event_lasting_first' },
      { id: 3, type: 'run.completed', in: 'event_lasting_first' },
      { id: 5, type: 'run.delta', in: 'event_passing_0' },
    ])
    expect((await sql`select * from event_horizon`.execute(bare.db)).rows).toEqual([{ user_id: 'usr_1', event_id: 4 }])
  })
})
