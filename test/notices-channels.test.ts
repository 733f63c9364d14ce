import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import {
  CHANNEL,
  MAIL_PASSWORD,
  openNotificationsStage,
  type NotificationsStage,
} from './stage/notifications/notifications-stage.ts'
import { aNotice, noticesOf, tell } from './stage/notifications/telling.ts'
import { Site } from './stage/servers/http-site.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

describe.each(databases)('shared channels are told of what ran by itself, on $name', (database) => {
  const opened = new AsyncDisposableStack()
  let stage: NotificationsStage
  let site: Site
  beforeAll(async () => {
    stage = opened.use(await openNotificationsStage(database))
    site = await new Site({
      '/hook': (_, response) => response.writeHead(204).end(),
      '/slack/T1/B2': (_, response) => response.end('ok'),
      '/topics/': (_, response) => response.end('{}'),
    }).listen()
    opened.defer(() => site.close())
  })
  afterAll(() => opened.disposeAsync())

  const add = async (body: object): Promise<string> => {
    const all = { ...CHANNEL, ...body } as Parameters<
      typeof stage.admin.call<typeof contract.notifications.addChannel>
    >[1]['body']
    return (await stage.admin.call(contract.notifications.addChannel, { body: all })).channel.channel_id
  }

  test('in the form of each, with details only inside, also without a mail server', async () => {
    const owner = await stage.asking('oscar')
    const more = { event: 'routine_stopped', name: 'Nightly @channel check', by: owner.user_id } as const
    const hook = await add({ kind: 'generic', name: 'Hook', address: `${site.url}/hook` })
    const inside = await add({ kind: 'slack', name: 'Inside', address: `${site.url}/slack/T1/B2`, internal: true })
    const topic = await add({ kind: 'ntfy', name: 'Topic', address: `${site.url}/topics/reeve`, language: 'de' })
    const room = await add({
      kind: 'matrix',
      name: 'Room',
      address: site.url,
      target: '!abc:example.org',
      secret: 'a-token',
    })
    const notice = await tell(stage, aNotice({ channel_id: hook }, more))
    for (const channel_id of [inside, topic, room]) await tell(stage, { ...notice, to: { channel_id } })
    await until(() => site.seen.length >= 4, { what: 'all four are told' })
    const at = (path: string) => site.seen.filter((seen) => seen.path.startsWith(path))
    const body = JSON.parse(at('/hook')[0]!.body) as { type: string; data: { notices: unknown[]; text: string } }
    expect(body.type).toBe('reeve.notices')
    expect(body.data.notices).toEqual([
      {
        notice_id: expect.stringMatching(/^ntc_/),
        event: 'routine_stopped',
        name: more.name,
        by: 'oscar',
        at: expect.any(String),
        link: `${stage.url}${notice.path}`,
      },
    ])
    expect(body.data.text).toMatch(/^Of oscar, /)
    expect(at('/hook')[0]!.body).not.toContain('private-detail')
    expect(at('/slack')[0]!.body).toContain('reason: private-detail')
    expect(JSON.parse(at('/topics/')[0]!.body)).toMatchObject({
      topic: 'reeve',
      title: `Ein Lauf der Routine „${more.name}“ wurde gestoppt.`,
      click: `${stage.url}${notice.path}`,
    })
    expect(JSON.parse(at('/_matrix')[0]!.body)).toMatchObject({
      body: expect.stringContaining('was stopped'),
      'm.mentions': {},
    })
    // In nobody's own list.
    expect((await noticesOf(owner.client)).items).toEqual([])
    expect((await noticesOf(stage.admin)).items).toEqual([])
  })

  test('a watch is called as the reader’s language has it, and what it saw is a sentence', async () => {
    const channel = {
      kind: 'slack',
      name: 'Watched',
      address: `${site.url}/slack/watched`,
      internal: true,
      language: 'de',
    }
    const channel_id = await add(channel)
    const detail = {
      count: 3,
      preset: 'certificate',
      machine: 'web-1',
      figure: 'certificate_days',
      bound: 14,
      value: 3,
    }
    await tell(stage, aNotice({ channel_id }, { name: 'Certificate expires soon', detail }))
    const paused = { event: 'routine_paused', name: 'Nightly', detail: { by: 'failures' } } as const
    const seen = () => site.seen.filter(({ path }) => path === '/slack/watched').map(({ body }) => body)
    await until(() => seen().length === 1, { what: 'the first one' })
    await tell(stage, aNotice({ channel_id }, paused))
    await until(() => seen().length === 2, { what: 'the second one' })
    expect(seen()[0]).toContain('Die Beobachtung „Zertifikat läuft bald ab“ ist wieder innerhalb ihrer Grenze.')
    expect(seen()[0]).toContain(
      '\\nweb-1\\nRestlaufzeit des Zertifikats: 3 Tage; die Grenze ist 14 Tage\\nUnd 2 weitere.\\n',
    )
    expect(seen()[1]).toContain('Nach drei Fehlschlägen in Folge angehalten.')
    expect(seen().join()).not.toMatch(/preset|figure|failures/)
  })

  test('a mail server with an address; none that is gone', async () => {
    const address = { address: stage.mail.url, sender: 'reeve@example.com', account: 'reeve', secret: MAIL_PASSWORD }
    const channel_id = await add({ kind: 'smtp', name: 'Mail', ...address, target: 'ops@example.com' })
    const notice = await tell(stage, aNotice({ channel_id }))
    await until(() => stage.mail.to('ops@example.com').length > 0, { what: 'the mail' })
    expect(stage.mail.to('ops@example.com')[0]!.text).toContain(notice.path)
    await stage.admin.call(contract.notifications.removeChannel, { params: { channel_id } })
    await tell(stage, aNotice({ channel_id }))
    await expect(tell(stage, aNotice({ channel_id }, { path: '//elsewhere.example' }))).rejects.toThrow('this service')
  })
})
