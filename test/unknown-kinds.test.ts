import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { begin, decide, lastAnswer } from './stage/chat-stage.ts'
import { openNotificationsStage, type NotificationsStage } from './stage/notifications/notifications-stage.ts'
import { aNotice, noticesOf } from './stage/notifications/telling.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

/** A kind that only a newer version knows, which works beside this one while processes are upgraded one by one. */
const NEWER = 'newer' as never
const SOON = { headers: { prefer: 'respond-async' } }

describe.each(databases)('what a newer version has stored, on $name', (database) => {
  const opened = new AsyncDisposableStack()
  let stage: NotificationsStage
  beforeAll(async () => {
    stage = opened.use(await openNotificationsStage(database))
    await stage.addServer()
  })
  afterAll(() => opened.disposeAsync())

  test('a run of its kinds is left to it, whatever becomes of its driver', async () => {
    const { client } = await stage.asking('rudi')
    const { app } = stage
    const { db } = app
    stage.play('one line', [
      [{ calls: [{ name: 'system.run_command', arguments: { command: 'true' } }] }],
      [{ text: 'There.' }],
    ])
    const { run_id, conversation_id } = await begin(client, 'one line')
    const card = await until(
      async () => (await client.call(contract.chat.listApprovals, { query: { status: 'pending' } })).items[0],
      { what: 'its card is up' },
    )
    const kind = (started_by: 'session') =>
      db.write.updateTable('run').set({ started_by }).where('run_id', '=', run_id).execute()
    // Its driver here has let go of it.
    await app.chat.runner.rested(run_id)
    await kind(NEWER)
    // Deciding is not driving: it rests without a driver from here on.
    await decide(client, card.approval_id, 'approve', SOON)
    await app.chat.runner.recover()
    const row = () =>
      db.read
        .selectFrom('run')
        .select(['status', 'lease_owner', 'epoch'])
        .where('run_id', '=', run_id)
        .executeTakeFirstOrThrow()
    const { epoch } = await row()
    // Nobody holds it, and a driver of a newer version that was killed has left it.
    for (const lease of [
      { lease_owner: null, lease_expires_at: null },
      { lease_owner: 'prc_gone', lease_expires_at: 1 },
    ]) {
      await db.write.updateTable('run').set(lease).where('run_id', '=', run_id).execute()
      await app.chat.runner.recover()
      expect(await row()).toEqual({ status: 'acting', lease_owner: lease.lease_owner, epoch })
    }
    expect((await lastAnswer(client, conversation_id)).status).toBe('streaming')
    await kind('session')
    await app.chat.runner.recover()
    await until(async () => (await lastAnswer(client, conversation_id)).status === 'complete', { what: 'it goes on' })
  })

  test('its messages stay in the outbox, and its notices out of the lists, until somebody knows them', async () => {
    const { db } = stage.app
    const member = await stage.reachable('rosa')
    const role = await stage.reachable('rolf')
    const other = await stage.reachable('otto')
    const reader = await stage.asking('rike')
    const tell = async (of: ReturnType<typeof aNotice>, event?: never) => {
      await db.transaction(async (trx) => {
        await stage.app.unattended.tell(trx, of)
        if (event === undefined) return
        const ids = trx.selectFrom('notice').select('notice_id').where('ref_id', '=', of.ref_id)
        await trx.updateTable('outbox').set({ event }).where('ref_id', 'in', ids).execute()
        await trx.updateTable('notice').set({ event }).where('ref_id', '=', of.ref_id).execute()
      })
      return of
    }
    const told = [
      await tell(aNotice({ user_ids: [member.user_id, reader.user_id].toSorted() }), NEWER),
      await tell(aNotice({ role_id: role.role_id }), NEWER),
    ]
    // Whatever was due before it has been looked at once this is there.
    const known = await tell(aNotice({ user_ids: [other.user_id] }))
    await until(() => stage.about(other.address, known.path).length > 0, { what: 'what is known is sent' })
    const rows = () => db.read.selectFrom('outbox').select(['status', 'attempts']).where('event', '=', NEWER).execute()
    expect(await rows()).toEqual([
      { status: 'pending', attempts: 0 },
      { status: 'pending', attempts: 0 },
    ])
    const none = { items: [], unread: 0, next_cursor: null }
    expect(await noticesOf(reader.client)).toEqual(none)

    // To mark all as read is to mark what one has seen.
    const own = await tell(aNotice({ user_ids: [reader.user_id] }))
    const [seen] = (await noticesOf(reader.client)).items
    await reader.client.call(contract.notices.readNotices, { body: { until: seen!.notice_id } })
    expect(await noticesOf(reader.client)).toMatchObject({ items: [{ path: own.path }], unread: 0 })

    const event = 'watch_recovered' as const
    for (const table of ['notice', 'outbox'] as const)
      await db.write.updateTable(table).set({ event }).where('event', '=', NEWER).execute()
    await stage.later(120_000)
    await until(() => stage.about(member.address, told[0]!.path).length > 0, { what: 'one is sent' })
    await until(() => stage.about(role.address, told[1]!.path).length > 0, { what: 'the other is sent' })
    expect(await noticesOf(reader.client)).toMatchObject({ items: [{}, {}], unread: 1 })
  })
})
