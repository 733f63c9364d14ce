import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp } from './stage/app.ts'
import { command, decide, openStage, say, type Member, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { Site } from './stage/servers/http-site.ts'
import { startMailServer, type MailServer } from './stage/servers/mail-server.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const RUN = 'tool:system.run_command'
const SECRET = 'mail-password-7f3a'
const KEY = '5e'.repeat(32)
const SIGNING = 'whsec_c2lnbmluZyBzZWNyZXQgb2YgdGhlIHRlc3Q='

const channel = {
  account: null,
  sender: null,
  target: null,
  secret: null,
  internal: false,
  language: 'en' as const,
  enabled: true,
}

describe.each(databases)('who looks at no page is told, on $name', (database) => {
  const opened = new AsyncDisposableStack()
  let stage: Stage
  let admin: TestClient
  let mail: MailServer
  let site: Site
  let serverId: string

  beforeAll(async () => {
    stage = opened.use(await openStage(database, { env: { REEVE_SECRET_KEY: KEY } }))
    mail = opened.use(await startMailServer({ user: 'reeve', pass: SECRET }))
    site = await new Site({
      '/hook': (_, response) => response.writeHead(204).end(),
      '/slack/T1/B2': (_, response) => response.end('ok'),
      '/topics/': (_, response) => response.end('{}'),
      '/broken': (_, response) => response.writeHead(500).end(SIGNING),
    }).listen()
    opened.defer(() => site.close())
    admin = await stage.as('admin')
  })
  afterAll(() => opened.disposeAsync())

  /** A call of the member that waits for `who`; its command must not be told to anybody outside. */
  async function waiting(member: Member, cue: string): Promise<string> {
    stage.play(cue, [[{ calls: [command(`echo secret-argument-${cue}`)] }], [{ text: 'Over.' }]])
    const { approvals } = await say(member.client, cue)
    return approvals[0]!.approval_id
  }
  const asking = (username: string) => stage.member(username, [{ subject: RUN, effect: 'ask', approvers: [] }])
  /** Somebody with an address that is confirmed, and told at once. */
  async function reachable(username: string): Promise<Member & { address: string }> {
    const member = await asking(username)
    const address = `${username}@example.com`
    const { items } = await member.client.call(contract.notifications.addOwnChannel, { body: { address } })
    const code = /code (\d{3} \d{3})/.exec(mail.to(address).at(-1)!.text)![1]!
    const params = { channel_id: items[0]!.channel_id }
    await member.client.call(contract.notifications.verifyOwnChannel, { params, body: { code } })
    await member.client.call(contract.notifications.saveNoticeSettings, { body: { wait_s: 0 } })
    return { ...member, address }
  }
  const about = (address: string, text: string) => mail.to(address).filter((one) => one.text.includes(text))
  const delivery = async (ref: string) =>
    (await admin.call(contract.notifications.deliveries, { query: { limit: 200 } })).items.filter(
      ({ ref_id }) => ref_id === ref,
    )
  /** The clock of everything that is still to be sent goes on by so many milliseconds. */
  const later = (ms: number) =>
    stage.app.db.transaction(async (trx) => {
      const set = { due_at: sql<number>`due_at - ${ms}`, done_at: sql<number>`done_at - ${ms}` }
      await trx.updateTable('outbox').set(set).execute()
      stage.app.db.wake(trx, 'outbox')
    })

  test('nobody is told of anything before there is a mail server, and no statement is spent on it', async () => {
    const seen: string[] = []
    await using service = await startTestApp({ database, observe: (text) => void seen.push(text) })
    const client = await service.as('admin')
    await client.call(contract.chat.send, {
      body: { message: '/system.run_command command=true', conversation_id: null },
    })
    expect(seen.filter((text) => /"approval"/.test(text) && text.startsWith('insert'))).not.toEqual([])
    expect(seen.filter((text) => /"(outbox|notice_setting)"/.test(text))).toEqual([])
    await expect(
      client.call(contract.notifications.addOwnChannel, { body: { address: 'ann@example.com' } }),
    ).rejects.toMatchObject({ code: 'no_mail_server' })
  })

  test('a mail server is added, tested, and never shows its password', async () => {
    const body = { ...channel, kind: 'smtp' as const, name: 'Mail', address: mail.url, sender: 'reeve@example.com' }
    await expect(
      admin.call(contract.notifications.addChannel, { body: { ...body, account: 'reeve' } }),
    ).rejects.toMatchObject({ code: 'bad_channel' })
    const added = await admin.call(contract.notifications.addChannel, {
      body: { ...body, account: 'reeve', secret: 'wrong' },
    })
    const params = { channel_id: added.channel.channel_id }
    serverId = params.channel_id
    const wrong = await admin.call(contract.notifications.testChannel, { params, body: { to: 'ops@example.com' } })
    expect(wrong).toMatchObject({ ok: false, problem: expect.stringMatching(/Authentication failed|535/) })
    expect(wrong.problem).not.toContain('wrong')
    // A secret goes nowhere but where it was given for.
    await expect(
      admin.call(contract.notifications.updateChannel, { params, body: { address: 'smtp://127.0.0.1:2' } }),
    ).rejects.toMatchObject({ code: 'channel_secret_elsewhere' })
    const saved = await admin.call(contract.notifications.updateChannel, { params, body: { secret: SECRET } })
    expect(saved.channel).toMatchObject({ secret: { configured: true }, account: 'reeve' })
    expect(JSON.stringify(saved)).not.toContain(SECRET)
    expect(await admin.call(contract.notifications.testChannel, { params, body: { to: 'ops@example.com' } })).toEqual({
      ok: true,
      problem: null,
    })
    expect(mail.to('ops@example.com')).toEqual([expect.objectContaining({ from: 'reeve@example.com' })])
    const { items } = await admin.call(contract.notifications.listChannels)
    expect(items).toEqual([expect.objectContaining({ problem: null, sent_at: expect.any(String) })])
    await expect(
      admin.call(contract.notifications.addChannel, { body: { ...body, name: 'Two' } }),
    ).rejects.toMatchObject({
      code: 'channel_exists',
    })
  })

  test('an address gets nothing but a code before it is confirmed, and a code can be guessed five times', async () => {
    const member = await asking('gus')
    const address = 'gus@example.com'
    const { items } = await member.client.call(contract.notifications.addOwnChannel, { body: { address } })
    const params = { channel_id: items[0]!.channel_id }
    await member.client.call(contract.notifications.saveNoticeSettings, { body: { wait_s: 0 } })
    await waiting(member, 'guitar')
    const code = /code (\d{3}) (\d{3})/.exec(mail.to(address)[0]!.text)!
    const wrong = code[1] === '000' ? '111111' : '000000'
    const verify = (given: string) =>
      member.client.call(contract.notifications.verifyOwnChannel, { params, body: { code: given } })
    for (let guess = 0; guess < 5; guess++) await expect(verify(wrong)).rejects.toMatchObject({ code: 'wrong_code' })
    await expect(verify(`${code[1]}${code[2]}`)).rejects.toMatchObject({ code: 'wrong_code' })
    await member.client.call(contract.notifications.testOwnChannel, { params })
    const again = /code (\d{3}) (\d{3})/.exec(mail.to(address).at(-1)!.text)!
    await verify(`${again[1]} ${again[2]}`)
    expect(about(address, 'guitar')).toEqual([])
    expect(mail.to(address)).toHaveLength(2)
    // Somebody else's address does not exist.
    const other = await stage.as('ann')
    await expect(other.call(contract.notifications.removeOwnChannel, { params })).rejects.toMatchObject({ status: 404 })
  })

  test('one mail says that a card waits, without what it would do; opening its link decides nothing', async () => {
    const member = await reachable('mia')
    const id = await waiting(member, 'mandolin')
    const [first] = await until(() => about(member.address, id).length > 0 && about(member.address, id), {
      what: 'the mail',
    })
    expect(first!.subject).toContain('Waits for you')
    expect(first!.text).toContain('system.run_command')
    expect(first!.text).not.toMatch(/secret-argument|echo/)
    const link = new URL(/https?:\S+\/approvals\/\S+/.exec(first!.text)![0])
    expect(link.pathname).toBe(`/approvals/${id}`)
    expect(link.search).toBe('')
    await fetch(new URL(link.pathname, stage.url), { redirect: 'manual' })
    const { items } = await member.client.call(contract.chat.listApprovals, { query: { status: 'pending' } })
    expect(items.map(({ approval_id }) => approval_id)).toContain(id)
    const { result } = await decide(member.client, id, 'approve')
    expect(result?.answer).toContain('Over.')
    expect(await delivery(id)).toEqual([expect.objectContaining({ status: 'sent', username: 'mia', attempts: 1 })])
    expect(about(member.address, id)).toHaveLength(1)
  })

  test('what is decided in time is told to nobody', async () => {
    const member = await reachable('nora')
    await member.client.call(contract.notifications.saveNoticeSettings, { body: { wait_s: 600 } })
    const id = await waiting(member, 'nightingale')
    expect(await delivery(id)).toEqual([expect.objectContaining({ status: 'pending' })])
    await decide(member.client, id, 'deny')
    await later(600_000)
    await until(async () => (await delivery(id))[0]?.status === 'dropped', { what: 'it is dropped' })
    expect(about(member.address, id)).toEqual([])
  })

  test('several cards are said in one mail', async () => {
    const member = await reachable('olga')
    await member.client.call(contract.notifications.saveNoticeSettings, { body: { wait_s: 900 } })
    const ids = [await waiting(member, 'oboe'), await waiting(member, 'organ'), await waiting(member, 'ocarina')]
    await later(900_000)
    await until(async () => (await delivery(ids[2]!))[0]?.status === 'sent', { what: 'they are sent' })
    const told = mail.to(member.address).filter(({ subject }) => subject.includes('3 approvals wait'))
    expect(told).toHaveLength(1)
    expect(mail.to(member.address)).toHaveLength(2)
  })

  test('in quiet hours nothing comes before their end', async () => {
    const member = await reachable('quinn')
    const clock = (at: number) => new Date(at).toISOString().slice(11, 16)
    const quiet = { from: clock(Date.now() - 3_600_000), to: clock(Date.now() + 3_600_000) }
    await expect(
      member.client.call(contract.notifications.saveNoticeSettings, { body: { zone: 'Mars/Olympus' } }),
    ).rejects.toMatchObject({ code: 'unknown_zone' })
    await member.client.call(contract.notifications.saveNoticeSettings, { body: { quiet, zone: 'UTC' } })
    const id = await waiting(member, 'quartet')
    const [due] = await until(
      async () => {
        const rows = await delivery(id)
        return Date.parse(rows[0]!.due_at) > Date.now() + 60_000 && rows
      },
      { what: 'it is put off' },
    )
    expect(due).toMatchObject({ status: 'pending', attempts: 0 })
    expect(clock(Date.parse(due!.due_at))).toBe(quiet.to)
    expect(about(member.address, id)).toEqual([])
  })

  test('a mail server that is away gets it once it is back, and eight failures are told', async () => {
    const member = await reachable('pia')
    await later(60_000)
    mail.refusal = `not now, ${SECRET}`
    const id = await waiting(member, 'piano')
    const [failed] = await until(
      async () => {
        const rows = await delivery(id)
        return rows[0]!.problem !== null && rows
      },
      { what: 'the first attempt fails' },
    )
    expect(failed).toMatchObject({ status: 'pending', attempts: 1 })
    expect(failed!.problem).not.toContain(SECRET)
    mail.refusal = null
    await later(3_600_000)
    await until(async () => (await delivery(id))[0]!.status === 'sent', { what: 'it is sent' })
    expect(about(member.address, id)).toHaveLength(1)
    mail.refusal = 'never'
    const lost = await waiting(member, 'piccolo')
    await later(60_000)
    for (let attempt = 1; attempt <= 8; attempt++) {
      await until(async () => (await delivery(lost))[0]!.attempts === attempt, { what: `attempt ${attempt}` })
      await until(async () => (await delivery(lost))[0]!.problem !== null, { what: 'it has failed' })
      await later(24 * 3_600_000)
    }
    await until(async () => (await delivery(lost))[0]!.status === 'dead', { what: 'it is given up' })
    mail.refusal = null
  })

  test('rules tell a webhook, signed, and a role after a time; an internal one also what it would do', async () => {
    const lead = await reachable('lee')
    const member = await asking('rita')
    const add = async (
      body: Partial<typeof channel> & { name: string; address: string; kind: 'generic' | 'slack' | 'ntfy' | 'matrix' },
    ) =>
      (await admin.call(contract.notifications.addChannel, { body: { ...channel, ...body } as never })).channel
        .channel_id
    const hook = await add({ kind: 'generic', name: 'Hook', address: `${site.url}/hook`, secret: SIGNING as never })
    const inside = await add({ kind: 'slack', name: 'Inside', address: `${site.url}/slack/T1/B2`, internal: true })
    const topic = await add({ kind: 'ntfy', name: 'Topic', address: `${site.url}/topics/reeve` })
    const broken = await add({ kind: 'generic', name: 'Broken', address: `${site.url}/broken` })
    const { items: shown } = await admin.call(contract.notifications.listChannels)
    expect(shown.find(({ name }) => name === 'Inside')).toMatchObject({
      address: site.url,
      secret: { configured: true },
    })
    expect(JSON.stringify(shown)).not.toContain('/T1/')
    const rule = { role_id: member.role_id, after_s: 0, to_role_id: null }
    await expect(
      admin.call(contract.notifications.saveNoticeRules, { body: { items: [{ ...rule, channel_id: 'chn_none' }] } }),
    ).rejects.toMatchObject({ code: 'unknown_channel' })
    await admin.call(contract.notifications.saveNoticeRules, {
      body: {
        items: [
          ...[hook, inside, topic, broken].map((channel_id) => ({ ...rule, channel_id })),
          { role_id: member.role_id, after_s: 1800, channel_id: null, to_role_id: lead.role_id },
        ],
      },
    })
    const id = await waiting(member, 'recorder')
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
      async () => (await delivery(id)).some(({ channel: name, problem }) => name === 'Broken' && problem !== null),
      { what: 'what does not arrive is seen' },
    )
    expect(JSON.stringify(await delivery(id))).not.toContain(SIGNING)
    // Nobody has decided for half an hour.
    expect(mail.to(lead.address)).toHaveLength(1)
    await later(1_800_000)
    await until(() => about(lead.address, id).length > 0, { what: 'the role is told' })
    expect(about(lead.address, id)[0]!.subject).toContain('rita asks for approval')
    await admin.call(contract.notifications.saveNoticeRules, { body: { items: [] } })
    await admin.call(contract.notifications.removeChannel, { params: { channel_id: broken } })
  })

  test('who votes is told, who asks is not; nobody who is gone is', async () => {
    const lead = await reachable('vera')
    const gone = await reachable('walt')
    await gone.client.call(contract.notifications.saveNoticeSettings, { body: { wait_s: 300 } })
    const { role_id } = lead
    await admin.call(contract.accounts.updateUser, { params: { user_id: gone.user_id }, body: { role_id } })
    const member = await reachable('xena')
    const rules = [{ subject: RUN, effect: 'ask' as const, approvers: [{ role_id, count: 1 }] }]
    await stage.setRules(member, rules)
    const id = await waiting(member, 'xylophone')
    await until(() => about(lead.address, id).length > 0, { what: 'the voter is told' })
    expect(about(lead.address, id)[0]!.subject).toContain('xena asks for approval')
    await admin.call(contract.accounts.updateUser, { params: { user_id: gone.user_id }, body: { disabled: true } })
    await later(300_000)
    await until(async () => (await delivery(id)).every(({ status }) => status !== 'pending'), {
      what: 'all is settled',
    })
    expect(about(gone.address, id)).toEqual([])
    expect(about(member.address, id)).toEqual([])
  })

  test('processes that look at the same time send once', async () => {
    const url = stage.databaseUrl
    if (url === '') return
    await using second = await startTestApp({
      database: { name: 'postgres', url: async () => url },
      env: { REEVE_SECRET_KEY: KEY },
    })
    const member = await reachable('yara')
    const ids: string[] = []
    for (let at = 0; at < 5; at++) {
      await later(60_000)
      const id = await waiting(member, `yodel${at}`)
      ids.push(id)
      await until(async () => (await delivery(id))[0]!.status === 'sent', { what: 'it is sent' })
    }
    for (const id of ids) expect(about(member.address, id)).toHaveLength(1)
    expect(second.app.db.dialect.name).toBe('postgres')
  })

  test('without the mail server, what waits is dropped', async () => {
    const member = await reachable('zoe')
    await member.client.call(contract.notifications.saveNoticeSettings, { body: { wait_s: 600 } })
    const id = await waiting(member, 'zither')
    const params = { channel_id: serverId }
    await admin.call(contract.notifications.updateChannel, { params, body: { enabled: false } })
    const own = await member.client.call(contract.notifications.ownChannels)
    expect(own.mail).toBe(false)
    await admin.call(contract.notifications.updateChannel, { params, body: { enabled: true } })
    const taken = await member.client.call(contract.notifications.removeOwnChannel, {
      params: { channel_id: own.items[0]!.channel_id },
    })
    expect(taken.items).toEqual([])
    expect(await delivery(id)).toEqual([])
  })
})
