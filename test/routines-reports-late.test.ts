import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { startTestApp } from './stage/app.ts'
import { noticesOf } from './stage/notifications/telling.ts'
import { filesOf, nightly, owed, PAUSE, runOnce, WRITES } from './stage/routines/report-stage.ts'
import { firesOf, stoppedClock, tick } from './stage/routines/routine-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const DAY = 86_400_000

describe.each(databases)('a report that cannot be made, on $name', (database) => {
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
  }, 300_000)

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
    const services = other === null ? [one] : [one, other]
    const all = () => Promise.all(services.map((service) => tick(service)))
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
  }, 300_000)

  test('what another process gives up while it is being made is not made', async () => {
    if (database.name !== 'postgres') return
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
      const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and exists (select 1 from routine_fire where report_next_at is not null)`
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
})
