import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { WatchAction, WatchSource } from '../contract/watch-values.ts'
import { openAudit } from '../server/accounts/audit/audit.ts'
import { createEraseUser } from '../server/operation/erase-user.ts'
import { lookAtDue } from '../server/watches/look.ts'
import type { TellNotice } from '../server/chat/ports/notices.ts'
import { pruneCrossings } from '../server/watches/watches.ts'
import type { WatchesContext } from '../server/watches/watches-context.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { databases } from './stage/servers/postgres.ts'

const MINUTE = 60_000
const never = (): never => {
  throw new Error('not part of this')
}
const DISK: WatchSource = { kind: 'figure', figure: 'disk_used', machines: { of: 'all' } }

describe.each(databases)('what a watch does when its bound is crossed, on $name', (database) => {
  let app: TestApp
  let user_id: string
  let adminId: string
  let adminRole: string
  let at = Date.now() + 365 * 24 * 60 * MINUTE
  let values = new Map<string, number>()
  const told: Parameters<TellNotice>[1][] = []
  const started: { routine_id: string; key: string; facts: Record<string, unknown> }[] = []
  const lost: unknown[] = []
  let failing = false
  let context: WatchesContext
  beforeAll(async () => {
    app = await startTestApp({ database })
    const [admin, ann] = [await app.as('admin'), await app.as('ann')]
    const { db } = app.app
    await db.write.updateTable('watch').set({ enabled: 0 }).execute()
    user_id = (await ann.call(contract.accounts.session)).user.id
    adminId = (await admin.call(contract.accounts.session)).user.id
    adminRole = (await admin.call(contract.accounts.listRoles)).items.find((role) => role.admin)!.role_id
    context = {
      db,
      log: { warn: (about: { watch_id?: string }) => void lost.push(about.watch_id) } as never,
      audit: openAudit(db, Date.now),
      policy: {
        forUser: (id) =>
          Promise.resolve({
            user_id: id,
            role_id: '',
            mayUse: ({ name }: { name: string }) => name !== 'vault',
          } as never),
      },
      tools: { find: never, call: never, ready: never },
      secrets: { mask: (_module, value) => value },
      hosts: {
        read: () =>
          Promise.resolve(
            ['local', 'web-1', 'web-2', 'vault'].map((name) => ({
              host_id: name,
              name,
              tags: [],
              local: name === 'local',
              disabled: name === 'web-2' && !values.has('web-2'),
              bound: '',
            })),
          ),
      },
      figures: { installation: never, machines: () => Promise.resolve(values) },
      tellNotice: (_trx, notice) => {
        if (failing) return Promise.reject(new Error('the outbox is full'))
        told.push(notice)
        return Promise.resolve()
      },
      tellChange: () => Promise.resolve(),
      routines: {
        of: () => Promise.resolve([{ routine_id: 'rtn_own', name: 'Clean up' }]),
        start: (one) => {
          started.push(one)
          return Promise.resolve('started')
        },
      },
      time: () => Promise.resolve(at),
    }
  })
  afterAll(() => app[Symbol.asyncDispose]())

  async function add(
    watch_id: string,
    owner: string | null,
    action: Partial<WatchAction>,
    source = DISK,
  ): Promise<void> {
    const row = { watch_id, user_id: owner, preset: null, name: watch_id, name_folded: watch_id, enabled: 1 }
    const condition = { is: 'above', bound: 90, back: null, for_s: 0 }
    const all = { tell: null, on_recovery: false, repeat_s: null, routine_id: null, ...action }
    const times = { interval_s: 60, next_at: at, looked_at: null, created_at: at, updated_at: at }
    await context.db.write
      .insertInto('watch')
      .values({
        ...row,
        ...times,
        source: JSON.stringify(source),
        condition: JSON.stringify(condition),
        action: JSON.stringify(all),
        scope: '[]',
        revision: 1,
        problem: null,
      })
      .execute()
  }
  async function look(now: Record<string, number>): Promise<void> {
    told.length = 0
    started.length = 0
    values = new Map(Object.entries(now))
    at += MINUTE
    await lookAtDue(context, new AbortController().signal)
  }
  const remove = () => context.db.write.deleteFrom('watch').where('preset', 'is', null).execute()

  test('one message for a look, with machines and figures; again only at the end, where that is wanted', async () => {
    await add('wat_shared', null, { tell: { to: 'administrators' }, on_recovery: true })
    await look({ local: 95, 'web-1': 96, vault: 20 })
    expect(told).toEqual([
      {
        event: 'watch_crossed',
        to: { role_id: adminRole },
        ref_id: 'wat_shared',
        path: '/watches?watch=wat_shared',
        name: 'wat_shared',
        detail: { count: 2, machine: 'local', figure: 'disk_used', bound: 90, value: 95 },
        key: expect.stringMatching(/^crs_\S+ crossed$/),
      },
    ])
    await look({ local: 95, 'web-1': 97, vault: 20 })
    expect(told).toEqual([])
    await look({ local: 95, 'web-1': 10, vault: 20 })
    expect(told).toMatchObject([{ event: 'watch_recovered', detail: { count: 1, machine: 'web-1', value: 10 } }])
    await remove()
  })

  test('a message that cannot be stored leaves nothing behind, and the next look tells', async () => {
    await add('wat_failing', null, { tell: { to: 'administrators' } })
    failing = true
    await look({ local: 95 })
    expect(lost).toEqual(['wat_failing'])
    failing = false
    const { db } = context
    expect(await db.read.selectFrom('watch_crossing').selectAll().execute()).toEqual([])
    expect(await db.read.selectFrom('watch_state').selectAll().execute()).toEqual([])
    await look({ local: 95 })
    expect(told).toHaveLength(1)
    await remove()
  })

  test('whose owner is no administrator tells the owner alone, and sees the machines of the owner', async () => {
    await add('wat_ann', user_id, { tell: { to: 'role', role_id: adminRole } })
    await add('wat_admin', adminId, { tell: { to: 'role', role_id: adminRole } })
    await look({ local: 95, 'web-1': 1, vault: 99 })
    expect(told.map(({ ref_id, to, detail, by }) => [ref_id, to, detail!['count'], by])).toEqual(
      expect.arrayContaining([
        ['wat_ann', { user_ids: [user_id] }, 1, user_id],
        ['wat_admin', { role_id: adminRole }, 1, adminId],
      ]),
    )
    await remove()
  })

  test('who was to be told and is there no more is told nothing, and the crossing says so', async () => {
    await add('wat_role', null, { tell: { to: 'role', role_id: 'rol_gone' } })
    await add('wat_channel', null, { tell: { to: 'channel', channel_id: 'chn_gone' } })
    await add('wat_people', null, { tell: { to: 'people', user_ids: ['usr_gone'] } })
    await look({ local: 95 })
    expect([told, lost.length]).toEqual([[], 1])
    const rows = await context.db.read.selectFrom('watch_crossing').select('told').execute()
    expect(rows).toEqual([{ told: 0 }, { told: 0 }, { told: 0 }])
    await remove()
  })

  test('a machine that is not followed any more ends what was crossed there, without a word', async () => {
    await add('wat_gone', null, { tell: { to: 'administrators' }, on_recovery: true })
    await look({ local: 1, 'web-1': 1, 'web-2': 95, vault: 1 })
    expect(told).toHaveLength(1)
    // It is disabled from now on.
    await look({ local: 1, 'web-1': 1, vault: 1 })
    expect(told).toEqual([])
    const rows = await context.db.read.selectFrom('watch_crossing').select(['machine', 'ended']).execute()
    expect(rows).toEqual([{ machine: 'web-2', ended: 'gone' }])
    await remove()
  })

  test('a routine of the owner’s is started with the facts, once for each crossing; nobody else’s is', async () => {
    await add('wat_start', user_id, { routine_id: 'rtn_own' })
    await add('wat_refused', user_id, { routine_id: 'rtn_others' })
    await look({ local: 95, 'web-1': 96 })
    expect(started.map(({ routine_id, facts }) => [routine_id, facts['machine'], facts['value']])).toEqual([
      ['rtn_own', 'local', 95],
      ['rtn_own', 'web-1', 96],
    ])
    expect(started[0]).toMatchObject({
      key: expect.stringMatching(/^crs_/),
      facts: { watch: 'wat_start', looks_at: 'disk_used', is: 'above', bound: 90 },
    })
    await look({ local: 95, 'web-1': 96 })
    expect(started).toEqual([])
    const { db } = context
    const outcomes = await db.read.selectFrom('watch_crossing').select(['watch_id', 'routine']).execute()
    expect(new Set(outcomes.map(({ watch_id, routine }) => `${watch_id} ${routine}`))).toEqual(
      new Set(['wat_start started', 'wat_refused refused']),
    )
    // A process that was killed before it could: the next look does.
    await db.write.updateTable('watch_crossing').set({ routine: 'due', crossed_at: Date.now() }).execute()
    await look({ local: 95, 'web-1': 96 })
    expect(started).toHaveLength(2)
    // Too late to be of use.
    const late = Date.now() - 61 * MINUTE
    await db.write.updateTable('watch_crossing').set({ routine: 'due', crossed_at: late }).execute()
    await look({ local: 95, 'web-1': 96 })
    expect(started).toEqual([])
    await remove()
  })

  test('an older look stores nothing over a newer one', async () => {
    await add('wat_order', null, { tell: { to: 'administrators' } })
    await look({ local: 95 })
    const { db } = context
    await db.write.updateTable('watch').set({ next_at: 0 }).where('watch_id', '=', 'wat_order').execute()
    at -= 2 * MINUTE
    await look({ local: 1 })
    at += 2 * MINUTE
    const here = db.read.selectFrom('watch_state').select(['phase', 'value']).where('machine', '=', 'local')
    expect(await here.execute()).toEqual([{ phase: 'crossed', value: '95' }])
    await remove()
  })

  test('history goes after 90 days, and everything of an erased person', async () => {
    await add('wat_old', user_id, {})
    const { db } = context
    const row = { watch_id: 'wat_old', machine: '', row_name: '', value: '1', told: 0, routine: null }
    const old = Date.now() - 91 * 24 * 60 * MINUTE
    await db.write
      .insertInto('watch_crossing')
      .values([
        { crossing_id: 'crs_old', crossed_at: old, ended_at: old, ended: 'recovered' as const, ...row },
        { crossing_id: 'crs_lasts', crossed_at: old, ended_at: null, ended: null, ...row },
        { crossing_id: 'crs_new', crossed_at: Date.now(), ended_at: Date.now(), ended: 'recovered' as const, ...row },
      ])
      .execute()
    await pruneCrossings(db, new AbortController().signal)
    const left = await db.read.selectFrom('watch_crossing').select('crossing_id').orderBy('crossing_id').execute()
    expect(left.map(({ crossing_id }) => crossing_id)).toEqual(['crs_lasts', 'crs_new'])
    const nothing = () => Promise.resolve()
    await createEraseUser(db, { conversations: nothing, files: nothing, procedures: nothing })(user_id)
    for (const table of ['watch_crossing', 'watch_state'] as const)
      expect(await db.read.selectFrom(table).selectAll().execute()).toEqual([])
    expect(await db.read.selectFrom('watch').selectAll().where('user_id', '=', user_id).execute()).toEqual([])
  })
})
