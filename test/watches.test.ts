import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { NewWatch } from '../contract/watches.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'
import { DISK, MINUTE, watching, type Watching } from './stage/watches/watch-stage.ts'

const { createWatch, listWatches, removeWatch, updateWatch, watchOptions, tryWatch } = contract.watches

describe.each(databases)('watches of figures, on $name', (database) => {
  let app: TestApp
  let admin: TestClient
  let ann: TestClient
  let watch: Watching
  beforeAll(async () => {
    app = await startTestApp({ database })
    ;[admin, ann] = [await app.as('admin'), await app.as('ann')]
    watch = watching(app)
    await watch.disk(50)
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const audited = async (action: string, target: string) =>
    (await admin.call(contract.accounts.audit, { query: { action } })).items.filter((one) => one.target === target)

  test('a bound is crossed once, stays crossed, and is back at the bound for recovery', async () => {
    const condition = { is: 'above', bound: 90, back: 80, for_s: 600 } as const
    const { watch_id, counts, subjects } = await watch.add(ann, { name: 'Mine', condition })
    expect(counts).toEqual({ crossed: 0, pending: 0, unknown: 0, all: 1 })
    expect(subjects).toMatchObject([{ machine: 'local', row: '', phase: 'ok', value: 50, problem: null }])
    await watch.disk(95.04)
    expect((await watch.later(ann, watch_id)).subjects[0]).toMatchObject({ phase: 'pending', value: 95 })
    for (let minute = 1; minute <= 9; minute++)
      expect((await watch.later(ann, watch_id)).counts).toMatchObject({ pending: 1, crossed: 0 })
    expect((await watch.later(ann, watch_id, MINUTE + 1000)).counts).toMatchObject({ crossed: 1 })
    await watch.later(ann, watch_id)
    await watch.disk(85)
    expect((await watch.later(ann, watch_id)).subjects[0]).toMatchObject({ phase: 'crossed', value: 85 })
    await watch.disk(80)
    expect((await watch.later(ann, watch_id)).subjects[0]).toMatchObject({ phase: 'ok', value: 80 })
    expect(await watch.crossings(ann, watch_id)).toEqual([
      expect.objectContaining({ machine: 'local', value: 95, ended: 'recovered', told: true, routine: null }),
    ])
    expect(await audited('watch.crossed', watch_id)).toMatchObject([
      { actor: '', details: { name: 'Mine', machine: 'local', value: 95 } },
    ])
    expect(await audited('watch.recovered', watch_id)).toHaveLength(1)
    expect(await audited('watch.created', watch_id)).toMatchObject([{ actor: 'ann' }])
  })

  test('what is not known is shown, and is neither crossed nor recovered', async () => {
    await watch.disk(95)
    const { watch_id } = await watch.add(ann, { name: 'Away' })
    expect((await watch.read(ann, watch_id)).counts).toMatchObject({ crossed: 1 })
    await watch.disk(null)
    expect(await watch.later(ann, watch_id)).toMatchObject({
      counts: { crossed: 1, unknown: 1 },
      subjects: [{ phase: 'crossed', value: 95, problem: 'The machine does not tell this.' }],
    })
    const [one, ...more] = await watch.crossings(ann, watch_id)
    expect([one!.ended, more]).toEqual([null, []])
    await watch.disk(10)
    expect((await watch.later(ann, watch_id)).counts).toMatchObject({ crossed: 0, unknown: 0 })
  })

  test('it is off with one request, which ends what was crossed; on again it begins anew', async () => {
    await watch.disk(95)
    const { watch_id } = await watch.add(ann, { name: 'Off' })
    const params = { watch_id }
    const off = await ann.call(updateWatch, { params, body: { enabled: false } })
    expect(off.watch).toMatchObject({ enabled: false, next_at: null, subjects: [], looked_at: null })
    expect(await watch.crossings(ann, watch_id)).toMatchObject([{ ended: 'stopped' }])
    expect(await audited('watch.off', watch_id)).toHaveLength(1)
    await ann.call(updateWatch, { params, body: { enabled: true } })
    expect((await watch.later(ann, watch_id)).counts).toMatchObject({ crossed: 1 })
    expect(await watch.crossings(ann, watch_id)).toMatchObject([{ ended: null }, { ended: 'stopped' }])
    // Another bound is another question.
    const condition = { ...DISK.condition, bound: 99 }
    await ann.call(updateWatch, { params, body: { condition } })
    expect((await watch.later(ann, watch_id)).counts).toMatchObject({ crossed: 0 })
    // Another name is not.
    await ann.call(updateWatch, { params, body: { name: 'Still off' } })
    expect((await watch.read(ann, watch_id)).counts).toMatchObject({ all: 1 })
    await ann.call(removeWatch, { params })
    expect(await watch.read(ann, watch_id)).toBeUndefined()
  })

  test('everybody has their own; what others are told, and what all share, is for administrators', async () => {
    const { watch: mine } = await ann.call(createWatch, { body: { ...DISK, name: 'Private' } })
    const ben = await app.as('ben')
    const params = { watch_id: mine.watch_id }
    for (const other of [ben, admin]) {
      await expect(other.call(updateWatch, { params, body: { enabled: false } })).rejects.toMatchObject({ status: 404 })
      await expect(other.call(removeWatch, { params })).rejects.toMatchObject({ status: 404 })
      expect((await other.call(listWatches)).items.map(({ name }) => name)).not.toContain('Private')
    }
    const refused = async (body: Partial<NewWatch>, code: string, client = ann) =>
      expect(client.call(createWatch, { body: { ...DISK, name: 'No', ...body } })).rejects.toMatchObject({
        code,
      })
    const telling = (tell: NewWatch['action']['tell']) => ({ action: { ...DISK.action, tell } })
    await refused({ shared: true, ...telling({ to: 'administrators' }) }, 'watch_not_allowed')
    await refused(telling({ to: 'administrators' }), 'watch_not_allowed')
    await refused(telling({ to: 'channel', channel_id: 'chn_1' }), 'watch_not_allowed')
    await refused(telling({ to: 'people', user_ids: ['usr_1'] }), 'watch_not_allowed')
    for (const figure of ['backup_age', 'certificate_days'] as const)
      await refused({ source: { kind: 'figure', figure, machines: { of: 'local' } } }, 'watch_not_allowed')
    await refused(telling({ to: 'channel', channel_id: 'chn_1' }), 'unknown_channel', admin)
    await refused(telling({ to: 'role', role_id: 'rol_1' }), 'unknown_role', admin)
    await refused(telling({ to: 'people', user_ids: ['usr_1'] }), 'bad_watch', admin)
    await refused({ shared: true }, 'bad_watch', admin)
    await refused({ action: { ...DISK.action, routine_id: 'rtn_1' } }, 'bad_watch')
    await refused({ condition: { ...DISK.condition, bound: 'full' } }, 'bad_watch')
    await refused({ condition: { ...DISK.condition, back: 91 } }, 'bad_watch')
    await refused({ condition: { ...DISK.condition, is: 'below', back: 89 } }, 'bad_watch')
    await refused({ condition: { ...DISK.condition, is: 'equals', back: 89 } }, 'bad_watch')
    const away = { of: 'host', host_id: 'hst_1' } as const
    await refused({ source: { ...DISK.source, machines: away } }, 'bad_watch')
    await refused({ name: 'PRIVATE' }, 'watch_exists')
    await refused({ interval_s: 59 }, 'invalid_request')
    const { admin: may, ...others } = await ann.call(watchOptions)
    expect([may, others]).toEqual([false, { roles: [], channels: [], people: [], routines: [] }])
    expect((await admin.call(watchOptions)).roles.map(({ name }) => name)).toContain('user')
  })

  test('there are at most 50 of one person', async () => {
    const carl = await app.as('carl')
    for (let at = 0; at < 50; at++)
      await carl.call(createWatch, { body: { ...DISK, name: `Number ${at}`, enabled: false } })
    await expect(carl.call(createWatch, { body: { ...DISK, name: 'One more' } })).rejects.toMatchObject({
      code: 'too_many_watches',
    })
  })

  test('somebody whose account is disabled looks at nothing', async () => {
    const dora = await app.as('dora')
    await watch.disk(20)
    const { watch_id } = await watch.add(dora)
    const { items } = await admin.call(contract.accounts.listUsers, { query: {} })
    const params = { user_id: items.find(({ username }) => username === 'dora')!.user_id }
    await admin.call(contract.accounts.updateUser, { params, body: { disabled: true } })
    await watch.disk(95)
    await watch.later(admin, watch_id)
    const { db } = app.app
    const row = await db.read.selectFrom('watch').select('problem').where('watch_id', '=', watch_id).executeTakeFirst()
    expect(row!.problem).toContain('disabled')
    expect(await db.read.selectFrom('watch_crossing').selectAll().where('watch_id', '=', watch_id).execute()).toEqual(
      [],
    )
  })

  test('trying looks once, stores nothing and tells nobody', async () => {
    await watch.disk(95)
    const { source, condition } = DISK
    expect(await ann.call(tryWatch, { body: { source, condition } })).toEqual({
      problem: null,
      subjects: [{ machine: 'local', row: '', value: 95, problem: null, beyond: true }],
      all: 1,
      columns: [],
    })
    expect((await ann.call(listWatches)).items.map(({ name }) => name)).not.toContain('Disk')
  })

  test('a reminder comes only where it is wanted, and not before its time', async () => {
    await watch.disk(95)
    const told = async (watch_id: string) => {
      const rows = await app.app.db.read
        .selectFrom('watch_state')
        .select(['told_at', 'since'])
        .where('watch_id', '=', watch_id)
        .execute()
      return rows[0]!.told_at! - rows[0]!.since
    }
    const action = { ...DISK.action, repeat_s: 3600 }
    const { watch_id } = await watch.add(ann, { name: 'Again', action })
    await watch.later(ann, watch_id, 30 * MINUTE)
    expect(await told(watch_id)).toBe(0)
    await watch.later(ann, watch_id, 31 * MINUTE)
    expect(await told(watch_id)).toBeGreaterThan(60 * MINUTE)
    expect(await watch.crossings(ann, watch_id)).toHaveLength(1)
    const quiet = await watch.add(ann, { name: 'Once' })
    await watch.later(ann, quiet.watch_id, 1000 * MINUTE)
    expect(await told(quiet.watch_id)).toBe(0)
  })
})
