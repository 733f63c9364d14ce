import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp } from './stage/app.ts'
import {
  CHANNEL,
  KEY,
  MAIL_PASSWORD,
  openNotificationsStage,
  RUN,
  type NotificationsStage,
} from './stage/notifications/notifications-stage.ts'
import { Site } from './stage/servers/http-site.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const SIGNING = 'whsec_c2lnbmluZyBzZWNyZXQgb2YgdGhlIHRlc3Q='

describe.each(databases)('messages arrive, on $name', (database) => {
  const opened = new AsyncDisposableStack()
  let stage: NotificationsStage
  let site: Site
  let serverId: string
  beforeAll(async () => {
    stage = opened.use(await openNotificationsStage(database))
    serverId = await stage.addServer()
    site = await new Site({
      '/hook': (_, response) => response.writeHead(204).end(),
      '/slack/T1/B2': (_, response) => response.end('ok'),
      '/topics/': (_, response) => response.end('{}'),
      '/broken': (_, response) => response.writeHead(500).end(SIGNING),
    }).listen()
    opened.defer(() => site.close())
  })
  afterAll(() => opened.disposeAsync())

  test('in quiet hours nothing comes before their end', async () => {
    const member = await stage.reachable('quinn')
    const clock = (at: number) => new Date(at).toISOString().slice(11, 16)
    const quiet = { from: clock(Date.now() - 3_600_000), to: clock(Date.now() + 3_600_000) }
    await expect(
      member.client.call(contract.notifications.saveNoticeSettings, { body: { zone: 'Mars/Olympus' } }),
    ).rejects.toMatchObject({ code: 'unknown_zone' })
    await member.client.call(contract.notifications.saveNoticeSettings, { body: { quiet, zone: 'UTC' } })
    const id = await stage.waiting(member, 'quartet')
    const [due] = await until(
      async () => {
        const rows = await stage.deliveries(id)
        return Date.parse(rows[0]!.due_at) > Date.now() + 60_000 && rows
      },
      { what: 'it is put off' },
    )
    expect(due).toMatchObject({ status: 'pending', attempts: 0 })
    expect(clock(Date.parse(due!.due_at))).toBe(quiet.to)
    expect(stage.about(member.address, id)).toEqual([])
  })

  test('a mail server that is away gets it once it is back, and eight failures are told', async () => {
    const member = await stage.reachable('pia')
    await stage.later(60_000)
    stage.mail.refusal = `not now, ${MAIL_PASSWORD}`
    const id = await stage.waiting(member, 'piano')
    const [failed] = await until(
      async () => {
        const rows = await stage.deliveries(id)
        return rows[0]!.problem !== null && rows
      },
      { what: 'the first attempt fails' },
    )
    expect(failed).toMatchObject({ status: 'pending', attempts: 1 })
    expect(failed!.problem).not.toContain(MAIL_PASSWORD)
    stage.mail.refusal = null
    await stage.later(3_600_000)
    await until(async () => (await stage.deliveries(id))[0]!.status === 'sent', { what: 'it is sent' })
    expect(stage.about(member.address, id)).toHaveLength(1)
    stage.mail.refusal = 'never'
    const lost = await stage.waiting(member, 'piccolo')
    await stage.later(60_000)
    for (let attempt = 1; attempt <= 8; attempt++) {
      await until(async () => (await stage.deliveries(lost))[0]!.attempts === attempt, { what: `attempt ${attempt}` })
      await until(async () => (await stage.deliveries(lost))[0]!.problem !== null, { what: 'it has failed' })
      await stage.later(24 * 3_600_000)
    }
    await until(async () => (await stage.deliveries(lost))[0]!.status === 'dead', { what: 'it is given up' })
    stage.mail.refusal = null
  })

  test('rules tell a webhook, signed, and a role after a time; an internal one also what it would do', async () => {
    const lead = await stage.reachable('lee')
    const member = await stage.asking('rita')
    const add = async (body: {
      kind: 'generic' | 'slack' | 'ntfy'
      name: string
      address: string
      secret?: string
      internal?: boolean
    }) => {
      const added = await stage.admin.call(contract.notifications.addChannel, { body: { ...CHANNEL, ...body } })
      return added.channel.channel_id
    }
    const hook = await add({ kind: 'generic', name: 'Hook', address: `${site.url}/hook`, secret: SIGNING })
    const inside = await add({ kind: 'slack', name: 'Inside', address: `${site.url}/slack/T1/B2`, internal: true })
    const topic = await add({ kind: 'ntfy', name: 'Topic', address: `${site.url}/topics/reeve` })
    const broken = await add({ kind: 'generic', name: 'Broken', address: `${site.url}/broken` })
    const { items: shown } = await stage.admin.call(contract.notifications.listChannels)
    expect(shown.find(({ name }) => name === 'Inside')).toMatchObject({
      address: site.url,
      secret: { configured: true },
    })
    expect(JSON.stringify(shown)).not.toContain('/T1/')
    const rule = { role_id: member.role_id, after_s: 0, to_role_id: null }
    await expect(
      stage.admin.call(contract.notifications.saveNoticeRules, {
        body: { items: [{ ...rule, channel_id: 'chn_none' }] },
      }),
    ).rejects.toMatchObject({ code: 'unknown_channel' })
    await stage.admin.call(contract.notifications.saveNoticeRules, {
      body: {
        items: [
          ...[hook, inside, topic, broken].map((channel_id) => ({ ...rule, channel_id })),
          { role_id: member.role_id, after_s: 1800, channel_id: null, to_role_id: lead.role_id },
        ],
      },
    })
    const id = await stage.waiting(member, 'recorder')
    await until(() => site.seen.length >= 4, { what: 'all four are told' })
    const at = (path: string) => site.seen.filter((seen) => seen.path === path)
    const [signed] = at('/hook')
    const { headers, body } = signed!
    const base = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
    const key = Buffer.from(SIGNING.slice('whsec_'.length), 'base64')
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(base).digest('base64')}`)
    expect(JSON.parse(body)).toMatchObject({
      type: 'reeve.approvals_waiting',
      data: { approvals: [{ approval_id: id, tool: 'system.run_command', asked_by: 'rita' }] },
    })
    expect(body).not.toContain('secret-argument')
    expect(at('/slack/T1/B2')[0]!.body).toContain('secret-argument-recorder')
    expect(JSON.parse(at('/topics/')[0]!.body)).toMatchObject({ topic: 'reeve', click: expect.stringContaining(id) })
    await until(
      async () =>
        (await stage.deliveries(id)).some(({ channel: name, problem }) => name === 'Broken' && problem !== null),
      { what: 'what does not arrive is seen' },
    )
    expect(JSON.stringify(await stage.deliveries(id))).not.toContain(SIGNING)
    // Nobody has decided for half an hour.
    expect(stage.mail.to(lead.address)).toHaveLength(1)
    await stage.later(1_800_000)
    await until(() => stage.about(lead.address, id).length > 0, { what: 'the role is told' })
    expect(stage.about(lead.address, id)[0]!.subject).toContain('rita asks for approval')
    await stage.admin.call(contract.notifications.saveNoticeRules, { body: { items: [] } })
    await stage.admin.call(contract.notifications.removeChannel, { params: { channel_id: broken } })
  })

  test('who votes is told, who asks is not; nobody who is gone is', async () => {
    const lead = await stage.reachable('vera')
    const gone = await stage.reachable('walt')
    await gone.client.call(contract.notifications.saveNoticeSettings, { body: { wait_s: 300 } })
    const { role_id } = lead
    await stage.admin.call(contract.accounts.updateUser, { params: { user_id: gone.user_id }, body: { role_id } })
    const member = await stage.reachable('xena')
    const rules = [{ subject: RUN, effect: 'ask' as const, approvers: [{ role_id, count: 1 }] }]
    await stage.setRules(member, rules)
    const id = await stage.waiting(member, 'xylophone')
    await until(() => stage.about(lead.address, id).length > 0, { what: 'the voter is told' })
    expect(stage.about(lead.address, id)[0]!.subject).toContain('xena asks for approval')
    await stage.admin.call(contract.accounts.updateUser, {
      params: { user_id: gone.user_id },
      body: { disabled: true },
    })
    await stage.later(300_000)
    await until(async () => (await stage.deliveries(id)).every(({ status }) => status !== 'pending'), {
      what: 'all is settled',
    })
    expect(stage.about(gone.address, id)).toEqual([])
    expect(stage.about(member.address, id)).toEqual([])
  })

  test('processes that look at the same time send once', async () => {
    const url = stage.databaseUrl
    if (url === '') return
    await using second = await startTestApp({
      database: { name: 'postgres', url: async () => url },
      env: { REEVE_SECRET_KEY: KEY },
    })
    const member = await stage.reachable('yara')
    const ids: string[] = []
    for (let at = 0; at < 5; at++) {
      await stage.later(60_000)
      const id = await stage.waiting(member, `yodel${at}`)
      ids.push(id)
      await until(async () => (await stage.deliveries(id))[0]!.status === 'sent', { what: 'it is sent' })
    }
    for (const id of ids) expect(stage.about(member.address, id)).toHaveLength(1)
    expect(second.app.db.dialect.name).toBe('postgres')
  })

  test('without the mail server, what waits is dropped', async () => {
    const member = await stage.reachable('zoe')
    await member.client.call(contract.notifications.saveNoticeSettings, { body: { wait_s: 600 } })
    const id = await stage.waiting(member, 'zither')
    const params = { channel_id: serverId }
    await stage.admin.call(contract.notifications.updateChannel, { params, body: { enabled: false } })
    const own = await member.client.call(contract.notifications.ownChannels)
    expect(own.mail).toBe(false)
    await stage.admin.call(contract.notifications.updateChannel, { params, body: { enabled: true } })
    const taken = await member.client.call(contract.notifications.removeOwnChannel, {
      params: { channel_id: own.items[0]!.channel_id },
    })
    expect(taken.items).toEqual([])
    expect(await stage.deliveries(id)).toEqual([])
  })
})
