import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp } from './stage/app.ts'
import { decide } from './stage/chat-stage.ts'
import {
  CHANNEL,
  MAIL_PASSWORD,
  openNotificationsStage,
  type NotificationsStage,
} from './stage/notifications/notifications-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

describe.each(databases)('who looks at no page is told, on $name', (database) => {
  let stage: NotificationsStage
  beforeAll(async () => {
    stage = await openNotificationsStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

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
    const body = {
      ...CHANNEL,
      kind: 'smtp' as const,
      name: 'Mail',
      address: stage.mail.url,
      sender: 'reeve@example.com',
    }
    await expect(
      stage.admin.call(contract.notifications.addChannel, { body: { ...body, account: 'reeve' } }),
    ).rejects.toMatchObject({ code: 'bad_channel' })
    const added = await stage.admin.call(contract.notifications.addChannel, {
      body: { ...body, account: 'reeve', secret: 'wrong' },
    })
    const params = { channel_id: added.channel.channel_id }
    const wrong = await stage.admin.call(contract.notifications.testChannel, {
      params,
      body: { to: 'ops@example.com' },
    })
    expect(wrong).toMatchObject({ ok: false, problem: expect.stringMatching(/Authentication failed|535/) })
    expect(wrong.problem).not.toContain('wrong')
    // A secret goes nowhere but where it was given for.
    await expect(
      stage.admin.call(contract.notifications.updateChannel, { params, body: { address: 'smtp://127.0.0.1:2' } }),
    ).rejects.toMatchObject({ code: 'channel_secret_elsewhere' })
    const saved = await stage.admin.call(contract.notifications.updateChannel, {
      params,
      body: { secret: MAIL_PASSWORD },
    })
    expect(saved.channel).toMatchObject({ secret: { configured: true }, account: 'reeve' })
    expect(JSON.stringify(saved)).not.toContain(MAIL_PASSWORD)
    expect(
      await stage.admin.call(contract.notifications.testChannel, { params, body: { to: 'ops@example.com' } }),
    ).toEqual({
      ok: true,
      problem: null,
    })
    expect(stage.mail.to('ops@example.com')).toEqual([expect.objectContaining({ from: 'reeve@example.com' })])
    const { items } = await stage.admin.call(contract.notifications.listChannels)
    expect(items).toEqual([expect.objectContaining({ problem: null, sent_at: expect.any(String) })])
    await expect(
      stage.admin.call(contract.notifications.addChannel, { body: { ...body, name: 'Two' } }),
    ).rejects.toMatchObject({
      code: 'channel_exists',
    })
  })

  test('an address gets nothing but a code before it is confirmed, and a code can be guessed five times', async () => {
    const member = await stage.asking('gus')
    const address = 'gus@example.com'
    const { items } = await member.client.call(contract.notifications.addOwnChannel, { body: { address } })
    const params = { channel_id: items[0]!.channel_id }
    await member.client.call(contract.notifications.saveNoticeSettings, { body: { wait_s: 0 } })
    await stage.waiting(member, 'guitar')
    const code = /code (\d{3}) (\d{3})/.exec(stage.mail.to(address)[0]!.text)!
    const wrong = code[1] === '000' ? '111111' : '000000'
    const verify = (given: string) =>
      member.client.call(contract.notifications.verifyOwnChannel, { params, body: { code: given } })
    for (let guess = 0; guess < 5; guess++) await expect(verify(wrong)).rejects.toMatchObject({ code: 'wrong_code' })
    await expect(verify(`${code[1]}${code[2]}`)).rejects.toMatchObject({ code: 'wrong_code' })
    await member.client.call(contract.notifications.testOwnChannel, { params })
    const again = /code (\d{3}) (\d{3})/.exec(stage.mail.to(address).at(-1)!.text)!
    await verify(`${again[1]} ${again[2]}`)
    expect(stage.about(address, 'guitar')).toEqual([])
    expect(stage.mail.to(address)).toHaveLength(2)
    // Somebody else's address does not exist.
    const other = await stage.as('ann')
    await expect(other.call(contract.notifications.removeOwnChannel, { params })).rejects.toMatchObject({ status: 404 })
  })

  test('one mail says that a card waits, without what it would do; opening its link decides nothing', async () => {
    const member = await stage.reachable('mia')
    const id = await stage.waiting(member, 'mandolin')
    const [first] = await until(() => stage.about(member.address, id).length > 0 && stage.about(member.address, id), {
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
    expect(await stage.deliveries(id)).toEqual([
      expect.objectContaining({ status: 'sent', username: 'mia', attempts: 1 }),
    ])
    expect(stage.about(member.address, id)).toHaveLength(1)
  })

  test('what is decided in time is told to nobody', async () => {
    const member = await stage.reachable('nora')
    await member.client.call(contract.notifications.saveNoticeSettings, { body: { wait_s: 600 } })
    const id = await stage.waiting(member, 'nightingale')
    expect(await stage.deliveries(id)).toEqual([expect.objectContaining({ status: 'pending' })])
    await decide(member.client, id, 'deny')
    await stage.later(600_000)
    await until(async () => (await stage.deliveries(id))[0]?.status === 'dropped', { what: 'it is dropped' })
    expect(stage.about(member.address, id)).toEqual([])
  })

  test('several cards are said in one mail', async () => {
    const member = await stage.reachable('olga')
    await member.client.call(contract.notifications.saveNoticeSettings, { body: { wait_s: 900 } })
    const ids = [
      await stage.waiting(member, 'oboe'),
      await stage.waiting(member, 'organ'),
      await stage.waiting(member, 'ocarina'),
    ]
    await stage.later(900_000)
    await until(async () => (await stage.deliveries(ids[2]!))[0]?.status === 'sent', { what: 'they are sent' })
    const told = stage.mail.to(member.address).filter(({ subject }) => subject.includes('3 approvals wait'))
    expect(told).toHaveLength(1)
    expect(stage.mail.to(member.address)).toHaveLength(2)
  })
})
