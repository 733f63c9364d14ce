import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { FailedServices } from '../server/dashboard/failed-services.ts'
import { MachineEye } from '../server/dashboard/machine-state.ts'
import { keepSample } from '../server/dashboard/samples.ts'
import { type Circumstances, warnings } from '../server/dashboard/warnings.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

describe.each(databases)('the dashboard on $name', (database) => {
  const statements: string[] = []
  let app: TestApp
  let admin: TestClient
  beforeAll(async () => {
    app = await startTestApp({ database, observe: (sql) => void (sql.includes('usage_day') && statements.push(sql)) })
    admin = await app.as('admin')
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const look = (client: TestClient) => client.call(contract.dashboard.dashboard)

  test('gives administrators the state of the house', async () => {
    const state = await until(
      async () => {
        const answer = await look(admin)
        return answer.storage !== null && answer.modules!.running > 0 && answer
      },
      { what: 'the storage is measured' },
    )
    expect(state).toMatchObject({
      engine: { ai_mode: 'direct', model: null },
      usage: { of: 'everybody', days: [] },
      live_runs: 0,
    })
    expect(state.storage!.database).toBeGreaterThan(10_000)
    expect(state.storage!.disk_total).toBeGreaterThan(state.storage!.disk_free)
    expect(state.warnings.map(({ code }) => code)).toContain('no_engine')
    expect(state.warnings.map(({ code }) => code)).not.toContain('no_tls')
  })

  test('gives everybody else their own use alone', async () => {
    expect(await look(await app.as('ann'))).toMatchObject({
      usage: { of: 'me' },
      modules: null,
      live_runs: null,
      storage: null,
      warnings: [],
    })
  })

  test('asks as little of the database for a thousand days of use as for none', async () => {
    const { user } = await admin.call(contract.accounts.session)
    const asked = async (): Promise<readonly string[]> => {
      const before = statements.length
      await look(admin)
      return statements.slice(before).sort()
    }
    await look(admin)
    const none = await asked()
    const rows = Array.from({ length: 1000 }, (_, i) => ({
      day: new Date(Date.now() - i * 86_400_000).toISOString().slice(0, 10),
      user_id: user.id,
      engine_id: '',
      model: 'm',
      messages: 1,
      input_tokens: 10,
      output_tokens: 1,
      cost_micros: 0,
    }))
    await app.app.db.transaction((trx) => trx.insertInto('usage_day').values(rows).execute())
    expect((await look(admin)).usage.days).toHaveLength(30)
    expect(await asked()).toEqual(none)
  })

  test('says when the last backup was', async () => {
    const { write } = app.app.db
    const long = Date.now() - 30 * 86_400_000
    await write.updateTable('user').set({ created_at: long }).execute()
    const found = async () => (await look(admin)).warnings.find(({ code }) => code === 'no_backup')
    expect(await found()).toMatchObject({ level: 'warn', value: null })
    const value = JSON.stringify({ at: long })
    await write.insertInto('setting').values({ key: 'last_backup', value, updated_at: long }).execute()
    expect(await found()).toMatchObject({ value: new Date(long).toISOString() })
    const now = JSON.stringify({ at: new Date().toISOString() })
    await write.updateTable('setting').set({ value: now }).where('key', '=', 'last_backup').execute()
    expect(await found()).toBeUndefined()
  })
})

test('warnings are told by what they are about, the worst first', () => {
  const now = Date.UTC(2026, 10, 21)
  const day = 86_400_000
  const storage = {
    database: 1,
    files: 1,
    modules: 1,
    caches: 1,
    backups: 1,
    disk_free: 50,
    disk_total: 100,
    measured_at: new Date(now).toISOString(),
  }
  const fine: Circumstances = {
    now,
    engine: true,
    plain: false,
    certificate_ends: now + 90 * day,
    storage,
    modules: [{ name: 'System', state: 'running' }],
    installed_at: now - 90 * day,
    backed_up_at: now - day,
    backup_failed: null,
    forgotten_at: null,
    disk_full: false,
    root: false,
    files_isolated: true,
    head_not_sent: null,
    failing_channel: null,
    crossed_watches: [],
    switched_off: 0,
  }
  const told = (change: Partial<Circumstances>) =>
    warnings({ ...fine, ...change }).map(({ level, code, value }) => [level, code, value])
  expect(told({})).toEqual([])
  expect(told({ storage: null, certificate_ends: null, backed_up_at: null, installed_at: now })).toEqual([])
  expect(told({ engine: false, plain: true })).toEqual([
    ['danger', 'no_tls', null],
    ['info', 'no_engine', null],
  ])
  expect(told({ disk_full: true, storage: { ...storage, disk_free: 0 } })).toEqual([['danger', 'disk_full', null]])
  expect(told({ storage: { ...storage, disk_free: 8 } })).toEqual([['warn', 'disk_nearly_full', 8]])
  expect(told({ storage: { ...storage, disk_free: 1 } })).toEqual([['danger', 'disk_nearly_full', 1]])
  expect(told({ certificate_ends: now + 5 * day })[0]?.slice(0, 2)).toEqual(['warn', 'certificate_ends'])
  expect(told({ certificate_ends: now - day })[0]?.slice(0, 2)).toEqual(['danger', 'certificate_ends'])
  expect(told({ modules: [{ name: 'Mill', state: 'failed' }] })).toEqual([['warn', 'module_failed', 'Mill']])
  expect(told({ backed_up_at: null })).toEqual([['warn', 'no_backup', null]])
  expect(told({ files_isolated: false })).toEqual([['warn', 'files_not_isolated', null]])
  expect(told({ failing_channel: 'Pager' })).toEqual([['warn', 'channel_failed', 'Pager']])
  const here = { host_id: 'local', name: 'local' }
  const disk = { name: 'Disk almost full', preset: 'disk', machines: [here, { host_id: 'hst_1', name: 'web-1' }] }
  const crossed = (change: Partial<Circumstances>) =>
    warnings({ ...fine, ...change }).find(({ code }) => code === 'watch_crossed')
  expect(crossed({ crossed_watches: [disk] })).toMatchObject({ preset: 'disk', machines: ['local', 'web-1'] })
  // Of this machine the dashboard says it already.
  expect(crossed({ crossed_watches: [disk], disk_full: true })).toMatchObject({ machines: ['web-1'] })
  expect(crossed({ crossed_watches: [{ ...disk, machines: [here] }], disk_full: true })).toBeUndefined()
  const backup = { name: 'Backup overdue', preset: 'backup', machines: [{ host_id: 'local', name: '' }] }
  expect(crossed({ crossed_watches: [backup] })).toMatchObject({ preset: 'backup', machines: [] })
  expect(crossed({ crossed_watches: [backup], backed_up_at: null })).toBeUndefined()
  expect(told({ root: true, switched_off: 2 })).toEqual([
    ['warn', 'runs_as_root', null],
    ['info', 'switched_off', 2],
  ])
})

describe.each(databases)('the samples of the machine on $name', (database) => {
  test('are one a minute, whoever takes them, go after a week, and are a day of lines', async () => {
    await using app = await startTestApp({ database })
    const { db } = app.app
    const eye = new MachineEye(app.dataFolder, new FailedServices('/no/systemctl/here'))
    const hour = 3_600_000
    const now = Date.now()
    // The first minute of an hour, in which what is too old goes.
    const past = now - (now % hour) - 3 * hour
    let runs = 0
    const at = (time: number) => keepSample(db, eye, () => Promise.resolve(runs), time)
    await at(now - 8 * 24 * hour)
    await at(past)
    runs = 3
    await Promise.all([at(now), at(now), at(now + 1)])
    const rows = await db.read.selectFrom('sample').selectAll().orderBy('minute').execute()
    expect(rows.length).toBeGreaterThanOrEqual(2)
    expect(rows[0]!.minute).toBe(past)
    expect(new Set(rows.map(({ minute }) => minute)).size).toBe(rows.length)
    expect(rows.at(-1)).toMatchObject({ failed_services: null, runs: 3 })
    const { machine } = await (await app.as('admin')).call(contract.dashboard.dashboard)
    expect(machine).toMatchObject({ backup_at: null, disk: { path: expect.any(String) } })
    expect(machine!.memory!.used).toBeLessThan(machine!.memory!.total)
    for (const line of Object.values(machine!.lines)) expect(line).toHaveLength(96)
    expect(machine!.lines.runs.at(-1)).toBe(3)
    expect(machine!.lines.memory.filter((value) => value !== null).every((value) => value > 0 && value < 1)).toBe(true)
    expect(machine!.lines.failed_services.every((value) => value === null)).toBe(true)
    expect(machine!.lines.runs.filter((value) => value !== null)).toHaveLength(2)
  })
})
