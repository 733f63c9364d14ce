import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openVault, parseKey } from '../server/kernel/vault.ts'
import { deliverDue } from '../server/notifications/deliver.ts'
import { pruneNotifications } from '../server/notifications/prune.ts'
import { openFeed } from './stage/activity-feed.ts'
import { startTestApp } from './stage/app.ts'
import { KEY, openNotificationsStage, type NotificationsStage } from './stage/notifications/notifications-stage.ts'
import { aNotice, noticesOf, tell } from './stage/notifications/telling.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { notices, notifications, accounts } = contract

describe.each(databases)('people are told of what ran by itself, on $name', (database) => {
  const opened = new AsyncDisposableStack()
  let stage: NotificationsStage
  beforeAll(async () => {
    stage = opened.use(await openNotificationsStage(database))
    await stage.addServer()
  })
  afterAll(() => opened.disposeAsync())

  /** Mails about a notice, by the address of its page. */
  const about = (address: string, path: string) => stage.mail.to(address).filter(({ text }) => text.includes(path))

  test('without a channel, it stands in the list, and no message is stored', async () => {
    const seen: string[] = []
    await using service = await startTestApp({ database, observe: (sql) => void seen.push(sql) })
    const ann = await service.as('ann')
    const ben = await service.as('ben')
    const { user } = await ann.call(accounts.session)
    await using feed = await openFeed(ann)
    const first = await tell(service, aNotice({ user_ids: [user.id] }))
    await tell(service, aNotice({ user_ids: [user.id] }, { event: 'routine_paused', name: 'Nightly\ncheck' }))
    expect(seen.filter((sql) => sql.includes('"outbox"'))).toEqual([])
    const told = await feed.find(({ type }) => type === 'notice.changed')
    expect(told).toMatchObject({ event: 'watch_recovered' })
    const { items, unread } = await noticesOf(ann)
    expect(unread).toBe(2)
    expect(items).toEqual([
      expect.objectContaining({ event: 'routine_paused', name: 'Nightly check', by: null, read_at: null }),
      expect.objectContaining({ path: first.path, ref_id: first.ref_id, detail: first.detail }),
    ])
    expect((await noticesOf(ben)).items).toEqual([])

    const [newest, oldest] = items
    const params = { notice_id: oldest!.notice_id }
    await expect(ben.call(notices.readNotice, { params })).rejects.toMatchObject({ status: 404 })
    expect(await ann.call(notices.readNotice, { params })).toEqual({ ok: true, unread: 1 })
    expect(await ann.call(notices.readNotice, { params })).toEqual({ ok: true, unread: 1 })
    expect((await noticesOf(ann, 'true')).items).toEqual([newest])
    const later = await tell(service, aNotice({ user_ids: [user.id] }))
    expect(await ann.call(notices.readNotices, { body: { until: newest!.notice_id } })).toEqual({ ok: true, unread: 1 })
    expect((await noticesOf(ann, 'true')).items).toEqual([expect.objectContaining({ path: later.path })])
    // In pages of one.
    const page = await ann.call(notices.listNotices, { query: { limit: 1 } })
    const next = await ann.call(notices.listNotices, { query: { limit: 1, cursor: page.next_cursor! } })
    expect(next.items).toEqual([expect.objectContaining({ notice_id: newest!.notice_id })])
  })

  test('one mail for a key, without its details; its link has no token', async () => {
    const member = await stage.reachable('nina')
    const notice = await tell(stage, aNotice({ user_ids: [member.user_id] }))
    await tell(stage, { ...notice, name: 'Told again' })
    const [mail] = await until(
      () => about(member.address, notice.path).length > 0 && about(member.address, notice.path),
      {
        what: 'the mail',
      },
    )
    expect(mail!.subject).toBe('The watch “Disk of db-1” is back within its bound.')
    expect(mail!.text).not.toMatch(/private-detail|value:/)
    const link = new URL(/https?:\S+/.exec(mail!.text)![0])
    expect([link.pathname, link.search]).toEqual([notice.path, ''])
    const { items } = await noticesOf(member.client)
    expect(items).toHaveLength(1)
    const state = async () => (await stage.deliveries(items[0]!.notice_id))[0]
    await until(async () => (await state())?.status === 'sent', { what: 'that its sending is stored' })
    const sent = await state()
    expect(sent).toMatchObject({ event: 'watch_recovered', status: 'sent', username: 'nina', attempts: 1 })
    await stage.later(60_000)
    await until(
      async () =>
        (await stage.admin.call(notifications.deliveries, { query: { status: 'pending' } })).items.length === 0,
    )
    expect(about(member.address, notice.path)).toHaveLength(1)
  })

  test('whose it is stands where others read it, and several come as one', async () => {
    const owner = await stage.asking('olaf')
    const member = await stage.reachable('ophelia')
    const paths: string[] = []
    await stage.app.db.transaction(async (trx) => {
      for (const name of ['First', 'Second']) {
        const notice = aNotice({ user_ids: [member.user_id] }, { event: 'routine_paused', name, by: owner.user_id })
        paths.push(notice.path)
        await stage.app.unattended.tell(trx, notice)
      }
    })
    await until(() => stage.mail.to(member.address).some(({ subject }) => subject === '2 notices'), {
      what: 'one mail',
    })
    const { text } = stage.mail.to(member.address).at(-1)!
    expect(text).toContain('The routine “First” has been paused.')
    expect(text).toContain('The routine “Second” has been paused.')
    expect(text).toMatch(/Of olaf, /)
    expect(text).toContain('/approvals?view=notices')
    expect((await noticesOf(member.client)).items.map(({ by }) => by)).toEqual(['olaf', 'olaf'])
    // Erased with the person.
    await stage.admin.call(accounts.deleteUser, { params: { user_id: owner.user_id } })
    expect((await noticesOf(member.client)).items).toEqual([])
  })

  test('kinds that somebody does not want are only listed', async () => {
    const member = await stage.reachable('paula')
    const { settings } = await member.client.call(notifications.saveNoticeSettings, { body: { watches: false } })
    expect(settings).toMatchObject({ watches: false, routines: true, approval: true })
    const quiet = await tell(stage, aNotice({ user_ids: [member.user_id] }))
    const loud = await tell(stage, aNotice({ user_ids: [member.user_id] }, { event: 'routine_failed' }))
    await until(() => about(member.address, loud.path).length > 0, { what: 'the other kind' })
    expect(about(member.address, quiet.path)).toEqual([])
    expect((await noticesOf(member.client)).unread).toBe(2)
  })

  test('everybody who has a role when it is due', async () => {
    const lead = await stage.reachable('rosa')
    const left = await stage.reachable('rupert')
    const { role_id } = lead
    const move = (user_id: string, to: string) =>
      stage.admin.call(accounts.updateUser, { params: { user_id }, body: { role_id: to } })
    await move(left.user_id, role_id)
    const notice = aNotice({ role_id })
    await stage.app.db.transaction(async (trx) => {
      await stage.app.unattended.tell(trx, notice)
      // Before it is due.
      await trx.updateTable('user').set({ role_id: left.role_id }).where('user_id', '=', left.user_id).execute()
    })
    await until(() => about(lead.address, notice.path).length > 0, { what: 'the role is told' })
    expect((await noticesOf(lead.client)).items).toHaveLength(1)
    expect(about(left.address, notice.path)).toEqual([])
  })

  test('what is no longer so before it is sent is dropped', async () => {
    const member = await stage.reachable('sina')
    let holds = true
    const asked: unknown[] = []
    stage.app.unattended.whileHolds('routine_stopped', async (notice) => asked.push(notice) > 0 && holds)
    const still = await tell(stage, aNotice({ user_ids: [member.user_id] }, { event: 'routine_stopped' }))
    await until(() => about(member.address, still.path).length > 0, { what: 'what is still so' })
    expect(asked).toEqual([{ ref_id: still.ref_id, key: still.key }])
    holds = false
    const over = await tell(stage, aNotice({ user_ids: [member.user_id] }, { event: 'routine_stopped' }))
    const [newest] = (await noticesOf(member.client)).items
    await stage.later(60_000)
    await until(async () => (await stage.deliveries(newest!.notice_id))[0]?.status === 'dropped', {
      what: 'it is dropped',
    })
    expect(about(member.address, over.path)).toEqual([])
  })

  test('what somebody has read in the list by then is not sent', async () => {
    const member = await stage.reachable('selma')
    await stage.later(60_000)
    stage.mail.refusal = 'not now'
    const notice = await tell(stage, aNotice({ user_ids: [member.user_id] }))
    const [stored] = (await noticesOf(member.client)).items
    const state = async () => (await stage.deliveries(stored!.notice_id))[0]
    await until(async () => (await state())?.problem != null, { what: 'the first attempt fails' })
    await member.client.call(notices.readNotice, { params: { notice_id: stored!.notice_id } })
    stage.mail.refusal = null
    await stage.later(3_600_000)
    await until(async () => (await state())?.status === 'dropped', { what: 'it is dropped' })
    expect(about(member.address, notice.path)).toEqual([])
  })

  test('in quiet hours it waits for their end', async () => {
    const member = await stage.reachable('quentin')
    const clock = (at: number) => new Date(at).toISOString().slice(11, 16)
    const now = Date.now()
    const quiet = { from: clock(now - 3_600_000), to: clock(now + 3_600_000) }
    await member.client.call(notifications.saveNoticeSettings, { body: { quiet, zone: 'UTC' } })
    const notice = await tell(stage, aNotice({ user_ids: [member.user_id] }))
    const [stored] = (await noticesOf(member.client)).items
    const rows = () => stage.deliveries(stored!.notice_id)
    await until(async () => Date.parse((await rows())[0]!.due_at) > Date.now() + 60_000, { what: 'it is put off' })
    expect(about(member.address, notice.path)).toEqual([])
    // The night is over by another clock.
    const { db } = stage.app
    const context = {
      db,
      vault: openVault(parseKey(KEY, 'a test')),
      address: () => stage.url,
      holds: new Map(),
      onFailed: () => {},
    }
    await until(
      async () => {
        await db.write.updateTable('outbox').set({ due_at: 1 }).where('ref_id', '=', stored!.notice_id).execute()
        await deliverDue({ ...context, clock: () => now + 3_660_000 }, new AbortController().signal)
        return about(member.address, notice.path).length > 0
      },
      { what: 'it comes in the morning' },
    )
    expect(about(member.address, notice.path)).toHaveLength(1)
  })

  test('processes that tell the same at once tell it once', async () => {
    const url = stage.databaseUrl
    if (url === '') return
    await using second = await startTestApp({
      database: { name: 'postgres', url: async () => url },
      env: { REEVE_SECRET_KEY: KEY },
    })
    const member = await stage.reachable('tara')
    const notice = aNotice({ user_ids: [member.user_id] })
    await Promise.all([stage, second, stage, second].map((one) => tell(one, notice)))
    await until(() => about(member.address, notice.path).length > 0, { what: 'the mail' })
    expect((await noticesOf(member.client)).items).toHaveLength(1)
    expect(about(member.address, notice.path)).toHaveLength(1)
  })

  test('after 30 days it is gone', async () => {
    const member = await stage.asking('uwe')
    await tell(stage, aNotice({ user_ids: [member.user_id] }))
    const { db } = stage.app
    const { notice_id } = (await noticesOf(member.client)).items[0]!
    await pruneNotifications(db, new AbortController().signal)
    expect((await noticesOf(member.client)).items).toHaveLength(1)
    const created_at = Date.now() - 31 * 86_400_000
    await db.write.updateTable('notice').set({ created_at }).where('notice_id', '=', notice_id).execute()
    await pruneNotifications(db, new AbortController().signal)
    expect(await noticesOf(member.client)).toEqual({ items: [], unread: 0, next_cursor: null })
  })

  test('five codes an hour for one person, whichever addresses they go to', async () => {
    const { client, user_id } = await stage.asking('viktor')
    const add = (at: number) => client.call(notifications.addOwnChannel, { body: { address: `v${at}@example.com` } })
    const { items } = await add(1)
    const params = { channel_id: items[0]!.channel_id }
    for (let at = 0; at < 2; at++) await client.call(notifications.testOwnChannel, { params })
    await client.call(notifications.removeOwnChannel, { params })
    await add(2)
    await add(3)
    await expect(add(4)).rejects.toMatchObject({ status: 429, code: 'too_many_codes' })
    expect(stage.mail.to('v4@example.com')).toEqual([])
    const own = await client.call(notifications.ownChannels)
    expect(own.items.map(({ address }) => address)).toEqual(['v2@example.com', 'v3@example.com'])
    const { db } = stage.app
    const counted = () =>
      db.read.selectFrom('code_count').select('codes').where('user_id', '=', user_id).executeTakeFirst()
    await pruneNotifications(db, new AbortController().signal)
    expect(await counted()).toEqual({ codes: 6 })
    const set = { since: Date.now() - 3_600_001 }
    await db.write.updateTable('code_count').set(set).where('user_id', '=', user_id).execute()
    await add(4)
    expect(stage.mail.to('v4@example.com')).toHaveLength(1)
    await pruneNotifications(db, new AbortController().signal)
    expect(await counted()).toEqual({ codes: 1 })
    await db.write.updateTable('code_count').set(set).where('user_id', '=', user_id).execute()
    await pruneNotifications(db, new AbortController().signal)
    expect(await counted()).toBeUndefined()
    // Others have their own.
    await (await stage.asking('wanda')).client.call(notifications.addOwnChannel, { body: { address: 'w@example.com' } })
  })
})
