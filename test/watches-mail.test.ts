import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openNotificationsStage, type NotificationsStage } from './stage/notifications/notifications-stage.ts'
import { noticesOf } from './stage/notifications/telling.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'
import { watching, type Watching } from './stage/watches/watch-stage.ts'

const { saveNoticeSettings } = contract.notifications

/** From the figure to the mail server, with everything between as it is. */
describe.each(databases)('mail about a watch, on $name', (database) => {
  const opened = new AsyncDisposableStack()
  let stage: NotificationsStage
  let watch: Watching
  beforeAll(async () => {
    stage = opened.use(await openNotificationsStage(database))
    await stage.addServer()
    watch = watching(stage)
  })
  afterAll(() => opened.disposeAsync())

  const page = (watch_id: string) => `/watches?watch=${watch_id}`
  /** What was to be sent about it: whether it waits, was sent, or was dropped. */
  async function statuses(watch_id: string): Promise<string[]> {
    const rows = await stage.app.db.read
      .selectFrom('outbox')
      .innerJoin('notice', 'notice.notice_id', 'outbox.ref_id')
      .select('outbox.status')
      .where('notice.ref_id', '=', watch_id)
      .execute()
    return rows.map(({ status }) => status)
  }
  const settled = (watch_id: string, as: string[]) =>
    until(async () => JSON.stringify(await statuses(watch_id)) === JSON.stringify(as), { what: `it is ${as.join()}` })

  test('a bound that is crossed is one mail, however long it stays so', async () => {
    const { client, address } = await stage.reachable('wanda')
    await watch.disk(50)
    const { watch_id } = await watch.add(client)
    expect(await statuses(watch_id)).toEqual([])
    await watch.disk(95)
    expect((await watch.later(client, watch_id)).counts).toMatchObject({ crossed: 1 })
    await settled(watch_id, ['sent'])
    const [mail, ...others] = stage.about(address, page(watch_id))
    expect(others).toEqual([])
    expect(mail!.subject).toContain('Disk')
    for (let looks = 0; looks < 3; looks++) await watch.later(client, watch_id)
    // Everything that is stored would be due by now.
    await stage.later(3_600_000)
    expect(await statuses(watch_id)).toEqual(['sent'])
    await watch.disk(50)
    expect((await watch.later(client, watch_id)).counts).toMatchObject({ crossed: 0 })
    expect(await statuses(watch_id)).toEqual(['sent'])
    expect(stage.about(address, page(watch_id))).toHaveLength(1)
    await client.call(contract.watches.removeWatch, { params: { watch_id } })
  })

  test('what is over before the quiet hours are is not mailed; what is not, is', async () => {
    const { client, address } = await stage.reachable('quirin')
    const at = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16)
    const quiet = { from: at(-3_600_000), to: at(3_600_000) }
    await client.call(saveNoticeSettings, { body: { quiet, zone: 'UTC' } })
    await watch.disk(95, 1)
    const over = await watch.add(client, { name: 'Over by morning' })
    const stays = await watch.add(client, {
      name: 'Still there',
      source: { kind: 'figure', figure: 'failed_services', machines: { of: 'local' } },
      condition: { is: 'above', bound: 0, back: null, for_s: 0 },
    })
    for (const one of [over, stays]) {
      expect(one.counts).toMatchObject({ crossed: 1 })
      expect(await statuses(one.watch_id)).toEqual(['pending'])
    }
    await watch.disk(50, 1)
    expect((await watch.later(client, over.watch_id)).counts).toMatchObject({ crossed: 0 })
    // Morning.
    await client.call(saveNoticeSettings, { body: { quiet: null } })
    await stage.later(3 * 3_600_000)
    await settled(stays.watch_id, ['sent'])
    await settled(over.watch_id, ['dropped'])
    expect(stage.about(address, page(stays.watch_id))).toHaveLength(1)
    expect(stage.mail.to(address).filter(({ text }) => text.includes('Over by morning'))).toEqual([])
    // In the list it stands all the same: it was the case.
    const { items } = await noticesOf(client)
    expect(items.map(({ name }) => name).toSorted()).toEqual(['Over by morning', 'Still there'])
  })
})
