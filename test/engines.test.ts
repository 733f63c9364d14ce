import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { say } from './stage/chat-stage.ts'
import type { ProblemAnswer, TestClient } from './stage/client.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'
import { PASSWORD } from './stage/people.ts'
import { startProcess, type TestProcess } from './stage/process.ts'
import { startScriptedModel, type ScriptedModel, type ScriptedStep } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

const KEY = 'sk-very-secret-4711'
const REST = { context_tokens: 32_000, price: { input: 3, output: 15 }, timeout_ms: 60_000, idle_timeout_ms: 30_000 }

/** A tool call where a tool is offered under that name; else words. */
const obedient = (request: { tools: readonly { name: string }[] }): ScriptedStep[] =>
  request.tools.some(({ name }) => /report/.test(name))
    ? [{ calls: [{ name: 'test.report', arguments: { value: 'ready' } }] }]
    : [{ text: 'From the model.' }]

async function refusal(asked: Promise<unknown>): Promise<[number, string]> {
  const { status, code } = await asked.then(
    () => ({ status: 200, code: '' }),
    (error: ProblemAnswer) => error,
  )
  return [status, code]
}

describe.each(databases)('the engine on $name', (database) => {
  let app: TestApp
  let admin: TestClient
  let model: ScriptedModel
  const engine = () => ({ provider: 'openai-compatible' as const, base_url: model.url, model: 'scripted', ...REST })
  beforeAll(async () => {
    model = await startScriptedModel(obedient)
    app = await startTestApp({ database })
    admin = await app.as('admin')
  })
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    await model.close()
  })

  test('none is set at first, and direct mode says where to set one', async () => {
    expect(await admin.call(contract.engines.engine)).toEqual({
      source: 'none',
      engine: null,
      updated_at: null,
      updated_by: null,
    })
    expect(await say(admin, 'How full is the disk?')).toMatchObject({
      ai_mode: 'direct',
      answer: expect.stringContaining('/admin/ai'),
    })
  })

  test('is in force with the next message, and its key is never shown again', async () => {
    const { ai } = await admin.call(contract.engines.saveEngine, { body: { ...engine(), api_key: KEY } })
    expect(ai).toMatchObject({
      source: 'settings',
      updated_by: 'admin',
      engine: { model: 'scripted', price: REST.price },
    })
    expect(ai.engine?.api_key).toEqual({ configured: true, updated_at: expect.any(String) })
    expect(await say(admin, 'Hello')).toMatchObject({ ai_mode: 'model', answer: 'From the model.' })
    expect(model.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
    const shown = JSON.stringify([
      await admin.call(contract.engines.engine),
      await admin.call(contract.accounts.audit, { query: { limit: 50 } }),
    ])
    expect(shown).toContain('engine.updated')
    expect(shown).not.toContain(KEY)
    const rows = await app.app.db.read.selectFrom('setting').select('value').execute()
    expect(JSON.stringify(rows)).not.toContain(KEY)
  })

  test('keeps its key where it stays where it is, and never takes it elsewhere', async () => {
    await admin.call(contract.engines.saveEngine, { body: { ...engine(), model: 'other' } })
    await say(admin, 'Hello')
    expect(model.requests.at(-1)).toMatchObject({
      body: { model: 'other' },
      headers: { authorization: `Bearer ${KEY}` },
    })
    const elsewhere = { ...engine(), base_url: 'http://127.0.0.1:9/v1' }
    expect(await refusal(admin.call(contract.engines.saveEngine, { body: elsewhere }))).toEqual([
      400,
      'engine_key_elsewhere',
    ])
    const { provider, base_url } = elsewhere
    const asked = { provider, base_url, model: 'other' }
    expect(await refusal(admin.call(contract.engines.testEngine, { body: asked }))).toEqual([
      400,
      'engine_key_elsewhere',
    ])
    expect(await refusal(admin.call(contract.engines.listModels, { body: { provider, base_url } }))).toEqual([
      400,
      'engine_key_elsewhere',
    ])
    const { ai } = await admin.call(contract.engines.saveEngine, { body: { ...engine(), api_key: null } })
    expect(ai.engine?.api_key.configured).toBe(false)
  })

  test('refuses addresses that can be no engine', async () => {
    for (const base_url of [
      'http://169.254.169.254/v1',
      'http://[::ffff:169.254.169.254]/v1',
      'http://100.100.100.200/',
      'http://user:word@127.0.0.1/v1',
      'http://127.0.0.1/v1?key=1',
      null,
    ])
      expect([
        base_url,
        ...(await refusal(admin.call(contract.engines.saveEngine, { body: { ...engine(), base_url, api_key: null } }))),
      ]).toEqual([base_url, 400, 'engine_address'])
    for (const base_url of ['file:///etc/passwd', 'nothing', ''])
      expect(
        (await refusal(admin.call(contract.engines.saveEngine, { body: { ...engine(), base_url, api_key: null } })))[1],
      ).toBe('invalid_request')
  })

  test('is tested with values that are not saved', async () => {
    const ask = (more: object) =>
      admin.call(contract.engines.testEngine, {
        body: { provider: 'openai-compatible', base_url: model.url, model: 'm', api_key: KEY, ...more },
      })
    expect(await ask({})).toMatchObject({ ok: true, problem: null, tools: true, first_ms: expect.any(Number) })
    expect(await ask({ base_url: 'http://127.0.0.1:9/v1' })).toMatchObject({
      ok: false,
      problem: 'unreachable',
      tools: null,
    })
    expect(await ask({ base_url: `${model.url}/nothing` })).toMatchObject({ ok: false, problem: 'unknown_model' })
    expect(await ask({ provider: 'openai', base_url: null, api_key: null })).toMatchObject({ problem: 'no_key' })
    expect((await admin.call(contract.engines.engine)).engine?.model).toBe('scripted')
  })

  test('that answers with an error is tested to a sentence that says what to do, without the key', async () => {
    const answers: [ScriptedStep[], string][] = [
      [[{ status: 401, body: { error: { message: `no such key ${KEY}` } } }], 'wrong_key'],
      [[{ status: 404, body: { error: { message: 'no such model' } } }], 'unknown_model'],
      [[{ status: 429, body: { error: { message: 'slow down' } } }], 'rate_limited'],
      [[{ status: 400, body: { error: { message: 'tools are not supported' } } }], 'refused'],
      [[{ text: 'I would rather talk.' }], 'no_tools'],
    ]
    await using broken = await startScriptedModel((_, index) => answers[index]![0])
    for (const [, problem] of answers) {
      const result = await admin.call(contract.engines.testEngine, {
        body: { provider: 'openai-compatible', base_url: broken.url, model: 'm', api_key: KEY },
      })
      expect(result).toMatchObject({ ok: false, problem })
      expect(result.detail).toMatch(/^[A-Z]\w+ \w+/)
      expect(result.detail).not.toContain(KEY)
    }
  })

  test('never follows a redirect with the key', async () => {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(request.url ?? '')
      response.writeHead(307, { location: `${model.url}/chat/completions` }).end()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const before = model.requests.length
    const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const body = { provider: 'openai-compatible' as const, base_url, model: 'm', api_key: KEY }
    expect(await admin.call(contract.engines.testEngine, { body })).toMatchObject({ ok: false, problem: 'redirected' })
    expect(seen).toEqual(['/v1/chat/completions'])
    expect(model.requests.length).toBe(before)
    await new Promise((done) => server.close(done))
  })

  test('lists the models of the provider', async () => {
    const asked = { provider: 'openai-compatible' as const, base_url: model.url, api_key: KEY }
    expect(await admin.call(contract.engines.listModels, { body: asked })).toEqual({
      items: [{ id: 'scripted', name: 'scripted' }],
    })
    const wrong = { ...asked, base_url: `${model.url}/nothing` }
    expect(await refusal(admin.call(contract.engines.listModels, { body: wrong }))).toEqual([503, 'ai_unavailable'])
    // What the provider says, not the document that it is in, unless that is all there is.
    const answers = [
      JSON.stringify({ error: { message: 'Incorrect API key.', code: 'invalid_api_key' } }),
      'Who are you?',
    ]
    const server = createServer((_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end(answers.shift())
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    for (const said of [/refused the key.*It said: Incorrect API key\.$/, /It said: Who are you\?$/])
      await expect(admin.call(contract.engines.listModels, { body: { ...asked, base_url } })).rejects.toMatchObject({
        problem: { detail: expect.stringMatching(said) },
      })
    await new Promise((done) => server.close(done))
  })

  test('a list of models without an end is no list', async () => {
    let sent = 0
    const ended = Promise.withResolvers<void>()
    const piece = `${JSON.stringify({ id: 'm'.repeat(60_000) })},`
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":[')
      const more = (): void => {
        // An end there is, for a service that would take everything.
        if (sent > 64 * 1024 * 1024) return void response.end('{}]}')
        sent += piece.length
        if (response.write(piece)) setImmediate(more)
        else response.once('drain', more)
      }
      response.once('close', ended.resolve)
      more()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const body = { provider: 'openai-compatible' as const, base_url: `http://127.0.0.1:${port}/v1`, api_key: KEY }
    const detail = `The answer of 127.0.0.1:${port} is larger than 4096 KiB. Enter the name of the model.`
    await expect(admin.call(contract.engines.listModels, { body })).rejects.toMatchObject({
      code: 'ai_unavailable',
      problem: { detail },
    })
    await ended.promise
    expect(sent).toBeLessThan(64 * 1024 * 1024)
    await new Promise((done) => server.close(done))
  })

  test('is removed with its key', async () => {
    const { ai } = await admin.call(contract.engines.removeEngine)
    expect(ai).toMatchObject({ source: 'none', engine: null })
    expect(await say(admin, 'Hello')).toMatchObject({ ai_mode: 'direct' })
  })
})

test('the environment wins, and is shown as such', async () => {
  await using model = await startScriptedModel(obedient)
  await using app = await startTestApp({ model })
  const admin = await app.as('admin')
  const state = await admin.call(contract.engines.engine)
  expect(state).toMatchObject({
    source: 'environment',
    engine: { model: 'scripted', api_key: { configured: true, updated_at: null } },
  })
  const body = { provider: 'openai-compatible' as const, base_url: model.url, model: 'mine', ...REST }
  expect(await refusal(admin.call(contract.engines.saveEngine, { body }))).toEqual([409, 'engine_read_only'])
  expect(await refusal(admin.call(contract.engines.removeEngine))).toEqual([409, 'engine_read_only'])
  expect(await say(admin, 'Hello')).toMatchObject({ ai_mode: 'model' })
})

describe.runIf(databases.some(({ name }) => name === 'postgres'))('two processes', () => {
  let a: TestProcess
  let b: TestProcess
  let model: ScriptedModel
  let onA: TestClient
  let onB: TestClient
  beforeAll(async () => {
    model = await startScriptedModel(obedient)
    const url = await createDatabase()
    const database = { name: 'postgres' as const, url: () => Promise.resolve(url) }
    const env = { REEVE_SECRET_KEY: 'b2'.repeat(32) }
    ;[a, b] = await Promise.all([startProcess({ database, env }), startProcess({ database, env })])
    onA = await a.as('admin')
    onB = b.anonymous()
    const signedIn = await onB.call(contract.accounts.login, { body: { username: 'admin', password: PASSWORD } })
    onB.csrfToken = signedIn.csrf_token
  })
  afterAll(async () => {
    await Promise.all([a[Symbol.asyncDispose](), b[Symbol.asyncDispose]()])
    await model.close()
  })

  test('an engine that is set on one answers on the other', async () => {
    const body = { provider: 'openai-compatible' as const, base_url: model.url, model: 'shared', api_key: KEY, ...REST }
    await onA.call(contract.engines.saveEngine, { body })
    await until(async () => (await onB.call(contract.chat.listTools)).model === 'shared', {
      what: 'the other knows it',
    })
    expect(await say(onB, 'Hello')).toMatchObject({ ai_mode: 'model', answer: 'From the model.' })
    expect(model.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
    await onB.call(contract.engines.removeEngine)
    await until(async () => (await onA.call(contract.chat.listTools)).ai_mode === 'direct', {
      what: 'it is gone there',
    })
  })

  test('a tool that is switched off on one is refused on the other', async () => {
    const body = { subject: 'tool:system.host', off: true, reason: 'It is being moved.' }
    await onA.call(contract.runsAdmin.saveSwitch, { body })
    await until(async () => (await onB.call(contract.runsAdmin.switches)).items.length === 1, {
      what: 'it is off there',
    })
    const answer = await say(onB, '/system.host')
    expect(answer).toMatchObject({ answer: expect.stringContaining('It is being moved.') })
  })
})
