import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { newId } from '../server/kernel/id.ts'
import { command, decide, openStage, recentEvents, say, type Stage } from './stage/chat-stage.ts'
import { clientToken, callThrough, connectMcp, ERAS, type McpClient } from './stage/gateway/mcp-client.ts'
import { linesIn } from './stage/run-ledger.ts'
import { databases } from './stage/servers/postgres.ts'
import { withinOneDay } from './stage/time/within-one-day.ts'

const SYSTEM = ['tool:system.*']

describe.each(databases)('the gateway on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database, { engine: false, gatewayHold: 300 })
  })
  afterAll(() => stage[Symbol.asyncDispose]())
  const fileOf = (name: string): string => join(stage.dataFolder, name)
  const run = (client: McpClient, script: string) =>
    callThrough(client, 'system__run_command', command(script).arguments)
  const result = (client: McpClient, call: string) => callThrough(client, 'reeve_result', { call })

  const cardsOf = (user_id: string) =>
    stage.app.db.read
      .selectFrom('approval')
      .select('approval_id')
      .where('user_id', '=', user_id)
      .where('status', '=', 'pending')
      .execute()

  describe.each(ERAS)('for a client of %s', (era) => {
    const connect = (token: string) => connectMcp(stage.url, token, era)

    test('lists what the person and the token allow, sorted, and nothing else', async () => {
      const { client: person } = await stage.member(`list-${era}`, [
        { subject: 'tool:system.processes', effect: 'deny' },
        { subject: 'tool:files.*', effect: 'allow' },
      ])
      await using wide = await connect((await clientToken(person, [...SYSTEM, 'tool:files.*'])).token)
      const { tools } = await wide.listTools()
      const names = tools.map(({ name }) => name)
      expect(names).toContain('system__cpu')
      expect(names).toContain('files__read')
      expect(names).not.toContain('system__processes')
      expect(names.slice(0, -1)).toEqual(names.slice(0, -1).toSorted())
      expect(names.at(-1)).toBe('reeve_result')
      const cpu = tools.find(({ name }) => name === 'system__cpu')
      expect(cpu).toMatchObject({ inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } })
      await using narrow = await connect((await clientToken(person, ['tool:system.cpu'])).token)
      expect((await narrow.listTools()).tools.map(({ name }) => name)).toEqual(['system__cpu', 'reeve_result'])
      await expect(narrow.callTool({ name: 'files__read', arguments: {} })).rejects.toThrow(/no tool files__read/)
      await expect(narrow.callTool({ name: 'system__processes', arguments: {} })).rejects.toThrow(/no tool/)
    })

    test('a call is a run in a conversation of its own that no list has', async () => {
      const { client: person } = await stage.member(`call-${era}`)
      const { token, item } = await clientToken(person, SYSTEM, 'Codex')
      await using client = await connect(token)
      const told = await callThrough(client, 'system__host')
      expect(told.isError).toBe(false)
      expect(told.text).not.toBe('')
      const row = await stage.app.db.read
        .selectFrom('gateway_call')
        .innerJoin('run', 'run.run_id', 'gateway_call.run_id')
        .innerJoin('conversation', 'conversation.conversation_id', 'run.conversation_id')
        .selectAll()
        .where('client_id', '=', item.token_id)
        .executeTakeFirstOrThrow()
      expect(row).toMatchObject({ kind: 'gateway', status: 'done', started_by: 'token' })
      expect(JSON.parse(row.untrusted_by!)).toEqual({ kind: 'client', name: 'Codex' })
      const { items } = await person.call(contract.chat.listConversations)
      expect(items).toEqual([])
      const found = await person.call(contract.chat.listConversations, { query: { q: 'system' } })
      expect(found.items).toEqual([])
    })

    test('arguments that do not fit are told, and nothing runs', async () => {
      const { client: person } = await stage.member(`wrong-${era}`)
      const { token, item } = await clientToken(person, SYSTEM)
      await using client = await connect(token)
      const told = await callThrough(client, 'system__run_command', { command: 7 })
      expect(told).toMatchObject({ isError: true, status: 'refused' })
      expect(told.text).toContain('Nothing has run')
      const rows = await stage.app.db.read
        .selectFrom('gateway_call')
        .select('run_id')
        .where('client_id', '=', item.token_id)
        .execute()
      expect(rows).toEqual([])
    })

    test('what asks waits by a handle; the same call is the same card; decided, it runs once', async () => {
      const { client: person, user_id } = await stage.member(`ask-${era}`)
      const { token } = await clientToken(person, SYSTEM)
      await using client = await connect(token)
      const file = fileOf(`asked-${era}`)
      const waiting = await run(client, `echo done; echo 1 >> ${file}`)
      expect(waiting).toMatchObject({ status: 'waiting_approval', isError: false })
      expect(waiting.text).toContain('Nothing has run')
      expect(existsSync(file)).toBe(false)
      const again = await run(client, `echo done; echo 1 >> ${file}`)
      expect(again.call).toBe(waiting.call)
      const approvals = await cardsOf(user_id)
      expect(approvals).toHaveLength(1)
      expect(new URL(waiting.open!).pathname).toBe(`/approvals/${approvals[0]!.approval_id}`)
      expect(new URL(waiting.open!).origin).toBe(new URL(stage.url).origin)
      expect((await result(client, waiting.call!)).status).toBe('waiting_approval')
      await decide(person, approvals[0]!.approval_id, 'approve')
      const ended = await result(client, waiting.call!)
      expect(ended).toMatchObject({ isError: false })
      expect(ended.text).toContain('done')
      expect((await result(client, waiting.call!)).text).toBe(ended.text)
      expect(linesIn(file)).toBe(1)
      const next = await run(client, `echo done; echo 1 >> ${file}`)
      expect(next.call).not.toBe(waiting.call)
    })

    test('what is refused did not run', async () => {
      const { client: person, user_id } = await stage.member(`deny-${era}`)
      await using client = await connect((await clientToken(person, SYSTEM)).token)
      const file = fileOf(`denied-${era}`)
      const { call } = await run(client, `touch ${file}`)
      const approvals = await cardsOf(user_id)
      await decide(person, approvals[0]!.approval_id, 'deny', { reason: 'not today' })
      const ended = await result(client, call!)
      expect(ended).toMatchObject({ isError: true, status: 'denied' })
      expect(ended.text).toContain('not today')
      expect(existsSync(file)).toBe(false)
    })
  })

  test('a handle is its client’s alone', async () => {
    const { client: person } = await stage.member('handles')
    await using one = await connectMcp(stage.url, (await clientToken(person, SYSTEM)).token, '2026-07-28')
    await using two = await connectMcp(stage.url, (await clientToken(person, SYSTEM)).token, '2026-07-28')
    const { call } = await run(one, 'true')
    const asking = { name: 'reeve_result', arguments: { call } }
    expect((await result(one, call!)).status).toBe('waiting_approval')
    await expect(two.callTool(asking)).rejects.toThrow(/begun no such call/)
    await expect(one.callTool({ name: 'reeve_result', arguments: {} })).rejects.toThrow(/expected string/)
  })

  test('only eight calls of a client are open at once', async () => {
    const { client: person, user_id } = await stage.member('eight')
    await using client = await connectMcp(stage.url, (await clientToken(person, SYSTEM)).token, '2026-07-28')
    const calls = Array.from({ length: 9 }, (_, i) => run(client, `echo ${i}`))
    const told = (await Promise.all(calls)).map(({ status }) => status)
    expect(told.filter((status) => status === 'waiting_approval')).toHaveLength(8)
    expect(told.filter((status) => status === 'refused')).toHaveLength(1)
    const approvals = await cardsOf(user_id)
    expect(approvals).toHaveLength(8)
  })

  test('a role’s calls of a month are limited, for all clients of a person together', async () => {
    await withinOneDay(async (attempt) => {
      const { client: person, role_id } = await stage.member(`quota${attempt}`)
      const none = { messages: null, tokens: null, cost_micros: null }
      const admin = await stage.as('admin')
      const body = { day: { ...none, calls: 100 }, month: { ...none, calls: 2 } }
      const saved = await admin.call(contract.usage.saveQuota, { params: { role_id }, body })
      expect(saved.quota).toEqual(body)
      await using one = await connectMcp(stage.url, (await clientToken(person, SYSTEM)).token, '2026-07-28')
      await using two = await connectMcp(stage.url, (await clientToken(person, SYSTEM)).token, '2026-07-28')
      for (const client of [one, two]) expect((await callThrough(client, 'system__host')).isError).toBe(false)
      const refused = await callThrough(one, 'system__host')
      expect(refused).toMatchObject({ isError: true, status: 'refused' })
      expect(refused.text).toContain('2 calls for this month')
      const { items } = await admin.call(contract.usage.quotas)
      expect(items.find((role) => role.role_id === role_id)?.quota.day.calls).toBe(100)
    })
  })

  test('no cookie, no token for scripts, no foreign page gets in', async () => {
    const { client: person } = await stage.member('door')
    const { token } = await clientToken(person, SYSTEM)
    const script = await person.call(contract.accounts.createToken, { body: { name: 'script' } })
    const post = async (headers: Record<string, string>, from = stage.anonymous()) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
      const given = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
      return (await from.fetch('/mcp', { method: 'POST', headers: given, body })).status
    }
    const bearer = { authorization: `Bearer ${token}` }
    expect(await post(bearer)).toBe(200)
    expect(await post({})).toBe(401)
    expect(await post({ 'x-csrf-token': person.csrfToken! }, person)).toBe(401)
    expect(await post({ authorization: `Bearer ${script.token}` })).toBe(401)
    expect(await post({ ...bearer, origin: 'https://elsewhere.example' })).toBe(403)
    const session = await stage.anonymous().fetch('/api/auth/session', { headers: bearer })
    expect(session.status).toBe(401)
    expect((await stage.anonymous().fetch('/mcp', { headers: bearer })).status).toBe(405)
    // What a process of a version without audiences looks for, and takes for a token of the interface.
    const before = createHash('sha256').update(token).digest('hex')
    const found = stage.app.db.read.selectFrom('access_token').select('token_id').where('token_hash', '=', before)
    expect(await found.execute()).toEqual([])
  })

  test('calls of clients go after thirty days, unless they are open', async () => {
    const { client: person } = await stage.member('old')
    await using client = await connectMcp(stage.url, (await clientToken(person, SYSTEM)).token, '2026-07-28')
    await callThrough(client, 'system__host')
    const { call } = await run(client, 'true')
    const left = async () =>
      (
        await stage.app.db.read
          .selectFrom('run')
          .innerJoin('user', 'user.user_id', 'run.user_id')
          .select('run_id')
          .where('username', '=', 'old')
          .execute()
      ).map((row) => row.run_id)
    expect(await left()).toHaveLength(2)
    await stage.app.chat.bin.purgeCalls(undefined, Date.now() + 31 * 24 * 3_600_000)
    expect(await left()).toEqual([call])
  })

  test('many old calls do not keep the bin waiting', async () => {
    const { client: person, user_id } = await stage.member('many')
    await using client = await connectMcp(stage.url, (await clientToken(person, SYSTEM)).token, '2026-07-28')
    await callThrough(client, 'system__host')
    const own = () => stage.app.db.read.selectFrom('conversation').selectAll().where('user_id', '=', user_id)
    const [row] = await own().execute()
    const calls = Array.from({ length: 120 }, () => ({ ...row!, conversation_id: newId('conversation') }))
    const binned = { ...row!, conversation_id: newId('conversation'), kind: 'chat' as const, deleted_at: Date.now() }
    await stage.app.db.write
      .insertInto('conversation')
      .values([...calls, binned])
      .execute()
    await stage.app.chat.bin.purgeCalls(undefined, Date.now() + 31 * 24 * 3_600_000)
    await stage.app.chat.bin.purgeOld(undefined, Date.now() + 31 * 24 * 3_600_000)
    expect(await own().execute()).toEqual([])
  })

  test('a call that the person goes on with is a conversation like any other, and stays untrusted', async () => {
    const { client: person, user_id } = await stage.member('goes-on')
    await using client = await connectMcp(stage.url, (await clientToken(person, SYSTEM)).token, '2026-07-28')
    await callThrough(client, 'system__host')
    const { conversation_id } = await stage.app.db.read
      .selectFrom('conversation')
      .select('conversation_id')
      .where('user_id', '=', user_id)
      .executeTakeFirstOrThrow()
    const events = (await recentEvents(person)).filter((event) => event.type === 'conversation.updated')
    expect(events).toMatchObject([{ conversation_id, unlisted: true }])
    await say(person, '/system.cpu {}', { conversation_id })
    const { items } = await person.call(contract.chat.listConversations)
    expect(items.map((item) => item.conversation_id)).toEqual([conversation_id])
    expect((await recentEvents(person)).findLast((event) => event.type === 'conversation.updated')).not.toHaveProperty(
      'unlisted',
    )
    await stage.app.chat.bin.purgeCalls(undefined, Date.now() + 31 * 24 * 3_600_000)
    const kept = await stage.app.db.read
      .selectFrom('conversation')
      .select(['kind', 'untrusted_at'])
      .where('conversation_id', '=', conversation_id)
      .executeTakeFirstOrThrow()
    expect(kept).toEqual({ kind: 'chat', untrusted_at: expect.anything() as unknown })
  })
})
