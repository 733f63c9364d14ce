import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command, openStage, type Stage } from './stage/chat-stage.ts'
import { answer, pendingOf } from './stage/chat/question-stage.ts'
import { callThrough, clientToken, connectMcp } from './stage/gateway/mcp-client.ts'
import { askingModule } from './stage/modules/asking-module.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const TOOLS = ['tool:system.*', 'tool:asker.*']
const RUNS = [{ subject: 'tool:system.run_command', effect: 'allow' as const, even_untrusted: true as const }]
const SCHEMA = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const LEFT = { command: 'sleep', args: ['600'], shell: false }
const LONG = 120_000

describe.each(databases)('an answer of the gateway that waits as long as usual, on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database, { engine: false, builtins: [askingModule] })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  async function connected(username: string) {
    const { client: person } = await stage.member(username, [
      ...RUNS,
      { subject: 'tool:asker.*', effect: 'allow' as const },
    ])
    const { token, item } = await clientToken(person, TOOLS)
    const client = await connectMcp(stage.url, token, '2026-07-28')
    const runOf = () =>
      stage.app.db.read
        .selectFrom('gateway_call')
        .innerJoin('run', 'run.run_id', 'gateway_call.run_id')
        .select(['run.run_id', 'run.status'])
        .where('client_id', '=', item.token_id)
        .executeTakeFirst()
    /** A call that nobody waits for the end of; `leave` is the client going away. */
    const begin = (name: string, input: Record<string, unknown>) => {
      const leave = new AbortController()
      const call = client.callTool({ name, arguments: input }, { signal: leave.signal, timeout: LONG })
      return { leave: () => leave.abort(), left: call.then(Boolean, () => 'left') }
    }
    return { person, client, begin, runOf, [Symbol.asyncDispose]: () => client.close() }
  }

  test('a client that leaves stops what runs', { timeout: LONG }, async () => {
    await using at = await connected('leaves')
    const { leave, left } = at.begin('system__run_command', LEFT)
    await until(async () => (await at.runOf())?.status === 'acting', { what: 'the command runs', timeout: LONG })
    leave()
    expect(await left).toBe('left')
    await until(async () => (await at.runOf())?.status === 'cancelled', { what: 'the run has stopped', timeout: LONG })
  })

  test('a client that leaves stops what runs and asks something', { timeout: LONG }, async () => {
    await using at = await connected('leaves-asked')
    const { leave, left } = at.begin('asker__ask', { message: 'Well?', schema: SCHEMA })
    await until(async () => (await pendingOf(at.person)).length === 1, { what: 'the question is there', timeout: LONG })
    leave()
    expect(await left).toBe('left')
    await until(async () => (await at.runOf())?.status === 'cancelled', { what: 'the run has stopped', timeout: LONG })
  })

  test('sixteen answers of a client wait at once; the next one is given as things are', { timeout: LONG }, async () => {
    await using at = await connected('sixteen')
    const { leave, left } = at.begin('system__run_command', LEFT)
    await until(async () => (await at.runOf())?.status === 'acting', { what: 'the command runs', timeout: LONG })
    const call = (await at.runOf())!.run_id
    const waiting = Array.from({ length: 16 }, () => {
      const asked = at.client.callTool({ name: 'reeve_result', arguments: { call } }, { timeout: LONG })
      return asked.then(
        (said) => (said.structuredContent as { status?: string }).status,
        () => 'left',
      )
    })
    // One of them finds all places taken, whichever it is.
    expect(await Promise.race(waiting)).toBe('running')
    leave()
    await left
    const told = await Promise.all(waiting)
    expect(told.filter((status) => status === 'running')).toHaveLength(1)
  })
})

describe.each(databases)('what the gateway says, on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database, { engine: false, gatewayHold: 300, builtins: [askingModule] })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('of a question in the middle of a call: that it runs', async () => {
    const { client: person } = await stage.member('asked', [{ subject: 'tool:asker.*', effect: 'allow' }])
    await using client = await connectMcp(stage.url, (await clientToken(person, TOOLS)).token, '2026-07-28')
    const ask = { name: 'asker__ask', arguments: { message: 'Well?', schema: SCHEMA } }
    const first = await client.callTool(ask)
    const { call } = first.structuredContent as { call: string }
    const card = await until(async () => (await pendingOf(person))[0], { what: 'the question is there' })
    const told = await client.callTool({ name: 'reeve_result', arguments: { call } })
    expect(told.structuredContent).toEqual({
      status: 'running',
      call,
      open: `${stage.url}/approvals/${card.approval_id}`,
    })
    const [said] = told.content as { text: string }[]
    expect(said!.text).toContain('It is running and asks the person something')
    expect(said!.text).not.toContain('Nothing has run')
    await answer(person, card.approval_id, { name: 'Ada' })
    expect((await callThrough(client, 'reeve_result', { call })).text).toContain('Ada')
  })

  test('of arguments that nobody could read afterwards: nothing, and nothing is stored', async () => {
    const { client: person, user_id } = await stage.member('odd')
    const { token } = await clientToken(person, TOOLS)
    await using client = await connectMcp(stage.url, token, '2026-07-28')
    const deep = JSON.parse(`${'['.repeat(200)}1${']'.repeat(200)}`) as unknown
    const wrong = [
      { ...command('true').arguments, args: deep },
      { ...command('true').arguments, args: JSON.parse('{"__proto__": []}') as unknown },
      command('x'.repeat(100_000)).arguments,
    ]
    for (const input of wrong) {
      const told = await callThrough(client, 'system__run_command', input)
      expect(told).toMatchObject({ isError: true, status: 'refused' })
      expect(told.text).toMatch(/nested more than 100|__proto__|99000 characters/)
    }
    const stored = stage.app.db.read.selectFrom('conversation').select('title').where('user_id', '=', user_id)
    expect(await stored.execute()).toEqual([])
  })

  test('of a failure: that there was one', async () => {
    const { client: person } = await stage.member('failing')
    await using client = await connectMcp(stage.url, (await clientToken(person, TOOLS)).token, '2026-07-28')
    const waiting = await callThrough(client, 'system__run_command', command('true').arguments)
    await stage.app.db.write.schema.alterTable('gateway_call').renameTo('away').execute()
    await using _ = {
      [Symbol.asyncDispose]: () => stage.app.db.write.schema.alterTable('away').renameTo('gateway_call').execute(),
    }
    const asking = client.callTool({ name: 'reeve_result', arguments: { call: waiting.call } })
    await expect(asking).rejects.toThrow(/Internal error$/)
  })
})
