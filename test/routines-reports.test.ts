import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp, testEnvironment } from './stage/app.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { noticesOf } from './stage/notifications/telling.ts'
import { openFolder } from './stage/open-folder.ts'
import { startFirer } from './stage/routines/routine-firer.ts'
import { createRoutine, ended, firesOf, stoppedClock, tick } from './stage/routines/routine-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { files, routines } = contract
/** Before what has failed for the first time is tried again, in milliseconds. */
const PAUSE = 15_000
const DAY = 86_400_000
const WRITES = /^(insert|update|delete)/

const filesOf = async (client: TestClient) => (await client.call(files.list, {})).items
const nightly = (client: TestClient, report = true) =>
  createRoutine(client, { name: 'Nightly', text: '/system.processes', cron: null, report })

/** Starts it by hand, and waits until its run has ended; nobody has looked since. */
async function runOnce(client: TestClient, routine_id: string): Promise<void> {
  const { fire_id } = await client.call(routines.run, { params: { routine_id } })
  await until(
    async () => {
      const fire = (await firesOf(client, routine_id)).find((one) => one.fire_id === fire_id)
      return fire?.run?.status === 'done'
    },
    { what: 'its run has ended' },
  )
}

const owed = async ({ app }: TestApp) =>
  app.db.read.selectFrom('routine_fire').select('fire_id').where('report_until', 'is not', null).execute()

describe.each(databases)('a routine ends with a report, on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('the answer and its tables are files, told once, and linked in the history', async () => {
    const { client } = await stage.member('rita')
    const routine = await nightly(client)
    expect(routine.report).toBe(true)
    await client.call(routines.run, { params: { routine_id: routine.routine_id } })
    await ended(stage, client, routine.routine_id)
    await tick(stage)
    const names = (await filesOf(client)).map(({ name }) => name).sort()
    expect(names).toEqual([
      expect.stringMatching(/^Nightly \d{4}-\d\d-\d\d\.md$/),
      expect.stringMatching(/^Nightly \d{4}-\d\d-\d\d\.xlsx$/),
    ])
    const { items } = await noticesOf(client)
    const [fire] = await firesOf(client, routine.routine_id)
    expect(fire!.report).toMatchObject({ name: names[0] })
    const file_id = fire!.report!.file_id
    expect(items).toEqual([
      expect.objectContaining({ event: 'report_ready', name: 'Nightly', path: `/files?f=${file_id}` }),
    ])
    // What its owner deletes is gone from the history, and does not come back.
    await client.call(files.remove, { params: { file_id } })
    await tick(stage)
    expect((await firesOf(client, routine.routine_id))[0]!.report).toBeNull()
    expect(await filesOf(client)).toHaveLength(1)
    const admin = await stage.as('admin')
    const audit = await admin.call(contract.accounts.audit, { query: { target: routine.routine_id } })
    expect(audit.items.find(({ action }) => action === 'routine.created')?.details).toMatchObject({ report: true })
  })

  test('without that, and after a run that failed, there is none', async () => {
    const { client } = await stage.member('rolf')
    stage.play('fails', () => [{ status: 400, body: { error: { message: 'no' } } }])
    const none = await nightly(client, false)
    const fails = await createRoutine(client, { name: 'Fails', text: 'fails', cron: null, report: true })
    for (const { routine_id } of [none, fails]) {
      await client.call(routines.run, { params: { routine_id } })
      await ended(stage, client, routine_id)
    }
    await tick(stage)
    expect(await filesOf(client)).toEqual([])
    expect((await noticesOf(client)).items).toMatchObject([{ event: 'routine_failed', detail: { failures: 1 } }])
    // Changed to: from the next run on.
    const params = { routine_id: none.routine_id }
    const { routine } = await client.call(routines.update, { params, body: { report: true } })
    expect(routine.report).toBe(true)
    await client.call(routines.run, { params })
    await ended(stage, client, none.routine_id)
    expect(await filesOf(client)).toHaveLength(2)
  })

  test('whichever write fails after its run has ended, the next look makes it, once', async () => {
    let failAt = Infinity
    let writes = 0
    const clock = stoppedClock('2027-03-01T07:00:00Z')
    await using service = await startTestApp({
      database,
      routineClock: clock,
      observe: (sql) => {
        if (failAt !== Infinity && WRITES.test(sql) && ++writes === failAt) throw new Error('a fault of the test')
      },
    })
    const client = await service.as('admin')
    const { routine_id } = await nightly(client)
    for (let n = 1; ; n++) {
      expect(n).toBeLessThan(60)
      await runOnce(client, routine_id)
      writes = 0
      failAt = n
      await tick(service)
      const failed = writes >= n
      failAt = Infinity
      clock.by(PAUSE)
      await Promise.all([tick(service), tick(service)])
      const [stored, { items }] = [await filesOf(client), await noticesOf(client)]
      expect({ n, files: stored.length, told: items.length }).toEqual({ n, files: 2 * n, told: n })
      expect(await owed(service)).toEqual([])
      if (!failed) break
    }
  })

  test('what cannot be made for a day is given up, and told once', async () => {
    const clock = stoppedClock('2027-03-01T07:00:00Z')
    let fails = true
    await using service = await startTestApp({
      database,
      routineClock: clock,
      observe: (sql) => {
        if (fails && sql.startsWith('insert into "report"')) throw new Error('a fault of the test')
      },
    })
    const client = await service.as('admin')
    const { routine_id } = await nightly(client)
    await runOnce(client, routine_id)
    await tick(service)
    clock.by(23 * 3_600_000)
    await tick(service)
    expect(await owed(service)).toHaveLength(1)
    expect((await noticesOf(client)).items).toEqual([])
    clock.by(3_600_000)
    await tick(service)
    fails = false
    await tick(service)
    expect(await owed(service)).toEqual([])
    expect(await filesOf(client)).toEqual([])
    expect((await noticesOf(client)).items).toMatchObject([
      { event: 'routine_failed', detail: { reason: 'The report could not be made for a day.' } },
    ])
  })

  test('whichever write fails when it is tried for the last time, it is told as ready or as given up, and never as both', async () => {
    const clock = stoppedClock('2027-03-01T07:00:00Z')
    let failAt = Infinity
    let writes = 0
    let fails = false
    await using service = await startTestApp({
      database,
      routineClock: clock,
      observe: (sql) => {
        if (fails && sql.startsWith('insert into "report"')) throw new Error('a fault of the test')
        if (failAt !== Infinity && WRITES.test(sql) && ++writes === failAt) throw new Error('a fault of the test')
      },
    })
    const client = await service.as('admin')
    const { routine_id } = await nightly(client)
    const outcomes = new Set<string>()
    for (let n = 1; ; n++) {
      expect(n).toBeLessThan(60)
      await runOnce(client, routine_id)
      fails = true
      await tick(service)
      fails = false
      expect(await owed(service)).toHaveLength(1)
      clock.by(DAY)
      writes = 0
      failAt = n
      await tick(service)
      const failed = writes >= n
      failAt = Infinity
      clock.by(DAY)
      await tick(service)
      const [stored, { items }] = [await filesOf(client), await noticesOf(client)]
      expect({ n, told: items.length }).toEqual({ n, told: n })
      // Newest first. What is ready is there, and of what was given up nothing is.
      const ready = items.filter(({ event }) => event === 'report_ready')
      expect(stored).toHaveLength(2 * ready.length)
      expect(await owed(service)).toEqual([])
      outcomes.add(items[0]!.event)
      if (!failed) break
    }
    expect([...outcomes].toSorted()).toEqual(['report_ready', 'routine_failed'])
  })

  test('what keeps failing is tried after pauses that double, up to an hour, whichever process looks', async () => {
    const clock = stoppedClock('2027-03-01T07:00:00Z')
    const env = { REEVE_SECRET_KEY: '6f'.repeat(32) }
    const tried: number[] = []
    const options = {
      env,
      routineClock: clock,
      observe: (sql: string) => {
        if (!sql.startsWith('insert into "report"')) return
        tried.push(clock())
        throw new Error('a fault of the test')
      },
    }
    await using one = await startTestApp({ database, ...options })
    const shared = { name: 'postgres' as const, url: () => Promise.resolve(one.databaseUrl) }
    await using other = one.databaseUrl === '' ? null : await startTestApp({ database: shared, ...options })
    const client = await one.as('admin')
    const { routine_id } = await nightly(client)
    await runOnce(client, routine_id)
    const from = clock()
    const all = async () => void (await Promise.all([one, other].map((service) => service && tick(service))))
    await all()
    // Every look of the first ten minutes, and then one every ten minutes, for two days.
    for (let at = 0; at < 40; at++, await all()) clock.by(PAUSE)
    for (let at = 0; at < 2 * 24 * 6; at++, await all()) clock.by(600_000)
    const after = tried.map((at) => (at - from) / 1000)
    expect(after.slice(0, 7)).toEqual([0, 15, 30, 60, 120, 240, 480])
    const pauses = after.slice(7).map((at, i) => at - after[i + 6]!)
    expect(Math.max(...pauses)).toBe(3600)
    expect(after.at(-1)).toBe(86_400)
    expect(after.length).toBeLessThan(40)
    expect((await noticesOf(client)).items).toMatchObject([{ event: 'routine_failed' }])
  })

  test('what another process gives up while it is being made is not made', async () => {
    if (stage.databaseUrl === '') return
    const clock = stoppedClock('2027-03-01T07:00:00Z')
    const env = { REEVE_SECRET_KEY: '8c'.repeat(32) }
    let fails = false
    await using one = await startTestApp({ database, env, routineClock: clock })
    await using other = await startTestApp({
      database: { name: 'postgres', url: () => Promise.resolve(one.databaseUrl) },
      env,
      routineClock: clock,
      observe: (sql) => {
        if (fails && sql.includes('"report"')) throw new Error('a fault of the test')
      },
    })
    const client = await one.as('admin')
    const { routine_id } = await nightly(client)
    await runOnce(client, routine_id)
    const [fire] = await firesOf(client, routine_id)
    const { db } = one.app
    // The first one has everything but the lock under which a report is stored.
    const making = await db.transaction(async (trx) => {
      await db.dialect.serialize(trx, `report:${fire!.run!.run_id}`)
      const ticked = tick(one)
      const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await until(async () => (await waiting.execute(trx)).rows.length > 0, { what: 'it waits for the lock' })
      clock.by(DAY)
      fails = true
      await tick(other)
      // In an object: the transaction does not wait for it.
      return { ticked }
    })
    await making.ticked
    expect((await noticesOf(client)).items).toMatchObject([{ event: 'routine_failed' }])
    expect(await filesOf(client)).toEqual([])
    expect(await owed(one)).toEqual([])
  })

  test('two processes make one', async () => {
    if (stage.databaseUrl === '') return
    const env = { REEVE_SECRET_KEY: '5e'.repeat(32) }
    await using one = await startTestApp({ database, env })
    const client = await one.as('admin')
    const { routine_id } = await nightly(client)
    await using two = await startTestApp({ database: { name: 'postgres', url: async () => one.databaseUrl }, env })
    await runOnce(client, routine_id)
    await Promise.all([one, two, one, two].map((service) => tick(service)))
    await tick(two)
    expect(await owed(one)).toEqual([])
    expect(await filesOf(client)).toHaveLength(2)
    expect((await noticesOf(client)).items).toMatchObject([{ event: 'report_ready' }])
  })

  test('a process that is killed between two statements leaves it to another, which makes it once', async () => {
    if (stage.databaseUrl === '') return
    await using closing = new AsyncDisposableStack()
    const env = { REEVE_SECRET_KEY: '7d'.repeat(32) }
    const home = closing.use(await startTestApp({ database, env }))
    const client = await home.as('admin')
    const { routine_id } = await nightly(client)
    const shared = { database: { name: 'postgres' as const, url: () => Promise.resolve(home.databaseUrl) }, env }
    const start = async () => {
      const firer = closing.use(startFirer(await testEnvironment(await openFolder(closing), shared)))
      expect(await firer.ready()).toBe(true)
      return firer
    }
    let [firer, kills, made] = [await start(), 0, 0]
    for (const dies_before of [2, 6, 10, 14, 18, 22, 26, 30, 34, 38]) {
      await runOnce(client, routine_id)
      if (!(await firer.look({ now: Date.now(), dies_before }))) {
        kills++
        firer = await start()
      }
      await firer.look({ now: Date.now() + PAUSE, dies_before: null })
      made++
      expect(await filesOf(client)).toHaveLength(2 * made)
      expect((await noticesOf(client)).items).toHaveLength(made)
      expect(await owed(home)).toEqual([])
    }
    expect(kills).toBeGreaterThan(5)
  }, 300_000)

  test('with the quota used up there is none, which is told once', async () => {
    await using service = await startTestApp({ database, env: { REEVE_QUOTA: '1MiB' } })
    const client = await service.as('admin')
    const { routine_id } = await nightly(client)
    const full = Buffer.alloc(1024 * 1024 - 10)
    const { file } = await client.call(files.upload, { headers: { 'x-file-name': 'full.bin' }, body: full })
    await runOnce(client, routine_id)
    await tick(service)
    await tick(service)
    expect((await noticesOf(client)).items).toMatchObject([{ event: 'routine_failed', name: 'Nightly' }])
    await client.call(files.remove, { params: { file_id: file.file_id } })
    await tick(service)
    expect((await noticesOf(client)).items).toHaveLength(1)
    expect(await filesOf(client)).toEqual([])
  })
})
