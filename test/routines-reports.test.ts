import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, testEnvironment } from './stage/app.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import { noticesOf } from './stage/notifications/telling.ts'
import { openFolder } from './stage/open-folder.ts'
import { filesOf, nightly, owed, PAUSE, runOnce, WRITES } from './stage/routines/report-stage.ts'
import { startFirer } from './stage/routines/routine-firer.ts'
import { createRoutine, ended, firesOf, stoppedClock, tick } from './stage/routines/routine-stage.ts'
import { databases } from './stage/servers/postgres.ts'

const { files, routines } = contract

describe.each(databases)('a routine ends with a report, on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    // With a clock of its own, a service looks when it is asked to, and never in between.
    stage = await openStage(database, { clock: Date.now })
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

  test('two processes make one', async () => {
    if (stage.databaseUrl === '') return
    const env = { REEVE_SECRET_KEY: '5e'.repeat(32) }
    const routineClock = Date.now
    await using one = await startTestApp({ database, env, routineClock })
    const client = await one.as('admin')
    const { routine_id } = await nightly(client)
    const shared = { name: 'postgres' as const, url: async () => one.databaseUrl }
    await using two = await startTestApp({ database: shared, env, routineClock })
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
    const home = closing.use(await startTestApp({ database, env, routineClock: Date.now }))
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
    await using service = await startTestApp({ database, routineClock: Date.now, env: { REEVE_QUOTA: '1MiB' } })
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
