import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { contract } from '../contract/index.ts'
import type { Quota } from '../contract/usage.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { begin, lastAnswer, noticesOf, say } from './stage/chat-stage.ts'
import type { ProblemAnswer, TestClient } from './stage/client.ts'
import { PASSWORD } from './stage/people.ts'
import { databases } from './stage/servers/postgres.ts'
import { startScriptedModel, type ScriptedModel } from './stage/servers/scripted-model.ts'
import { withinOneDay } from './stage/time/within-one-day.ts'

const LIMITS = { context_tokens: 32_000, price: { input: 1, output: 2 }, timeout_ms: 60_000, idle_timeout_ms: 30_000 }

async function codeOf(asked: Promise<unknown>): Promise<string> {
  return asked.then(
    () => '',
    ({ code }: ProblemAnswer) => code,
  )
}

describe.each(databases)('several engines on $name', (database) => {
  let app: TestApp
  let admin: TestClient
  let ann: TestClient
  let role_id: string
  const models: ScriptedModel[] = []
  const saved = (name: string, at: number, more: object = {}) => ({
    provider: 'openai-compatible' as const,
    base_url: models[at]!.url,
    name,
    model: `${name}-small`,
    models: [`${name}-large`],
    ...LIMITS,
    ...more,
  })
  const add = async (name: string, at: number, more: object = {}) =>
    (await admin.call(contract.engines.addEngine, { body: saved(name, at, more) })).engine
  const names = async () =>
    (await admin.call(contract.engines.listEngines)).items.map(({ name, default: first }) => [name, first])
  const choices = async (client: TestClient) =>
    (await client.call(contract.chat.listEngines)).items.map(({ name }) => name)

  beforeAll(async () => {
    for (const words of ['From the first.', 'From the second.'])
      models.push(
        await startScriptedModel(() => [{ text: words }, { usage: { prompt_tokens: 1000, completion_tokens: 50 } }]),
      )
    app = await startTestApp({ database })
    admin = await app.as('admin')
    const { role } = await admin.call(contract.accounts.createRole, { body: { name: 'Readers', rules: [] } })
    role_id = role.role_id
    await admin.call(contract.accounts.createUser, { body: { username: 'ann', password: PASSWORD, role_id } })
    ann = await app.signIn('ann')
  })
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    for (const model of models) await model.close()
  })

  test('the first one is the default, names are their own, and each has its key', async () => {
    const first = await add('Fast', 0, { api_key: 'sk-first' })
    expect(first).toMatchObject({
      source: 'settings',
      default: true,
      naming: false,
      models: ['Fast-small', 'Fast-large'],
      api_key: { configured: true },
      updated_by: 'admin',
    })
    const second = await add('Wise', 1, { api_key: 'sk-second' })
    expect(second.default).toBe(false)
    expect(await codeOf(add('FAST', 1))).toBe('engine_exists')
    expect(await codeOf(add('Odd', 1, { role_ids: ['rol_nobody'] }))).toBe('unknown_role')
    expect(await codeOf(add('Odd', 1, { base_url: 'http://169.254.169.254/v1' }))).toBe('engine_address')
    expect(await names()).toEqual([
      ['Fast', true],
      ['Wise', false],
    ])
    // The routes that know one engine show the default.
    expect(await admin.call(contract.engines.engine)).toMatchObject({ engine: { model: 'Fast-small' } })
    const rows = await app.app.db.read.selectFrom('engine').selectAll().execute()
    expect(JSON.stringify([rows, await admin.call(contract.engines.listEngines)])).not.toMatch(/sk-first|sk-second/)
  })

  test('a conversation remembers what answers in it, and the result names it', async () => {
    const { items } = await ann.call(contract.chat.listEngines)
    expect(items.map(({ name, model, models: all, context_tokens }) => [name, model, all, context_tokens])).toEqual([
      ['Fast', 'Fast-small', ['Fast-small', 'Fast-large'], 32_000],
      ['Wise', 'Wise-small', ['Wise-small', 'Wise-large'], 32_000],
    ])
    expect(JSON.stringify(items)).not.toContain('http')
    const plain = await say(ann, 'Hello')
    expect(plain).toMatchObject({ answer: 'From the first.', engine: 'Fast', model: 'Fast-small' })
    const engine = { engine_id: items[1]!.engine_id, model: 'Wise-large' }
    const body = { message: 'Hello you', conversation_id: null, engine }
    const { body: chosen } = await ann.call(contract.chat.send, { body })
    expect(chosen).toMatchObject({ answer: 'From the second.', engine: 'Wise', model: 'Wise-large' })
    const { conversation_id } = chosen
    expect(models[1]!.requests.at(-1)).toMatchObject({
      body: { model: 'Wise-large' },
      headers: { authorization: 'Bearer sk-second' },
    })
    expect(await say(ann, 'And again', { conversation_id })).toMatchObject({ engine: 'Wise', model: 'Wise-large' })
    const params = { conversation_id }
    expect(await ann.call(contract.chat.conversation, { params })).toMatchObject({ engine, context_used: 1050 })
    const { run_id } = await lastAnswer(ann, conversation_id)
    expect(await ann.call(contract.chat.run, { params: { run_id: run_id! } })).toMatchObject({ engine: 'Wise' })
    const back = await ann.call(contract.chat.updateConversation, { params, body: { engine: null } })
    expect(back.engine).toBeNull()
    expect(await say(ann, 'Now', { conversation_id })).toMatchObject({ engine: 'Fast', model: 'Fast-small' })
  })

  test('an engine or a model that one may not choose is refused, and nothing is stored', async () => {
    const [, second] = (await admin.call(contract.engines.listEngines)).items
    const { role } = await admin.call(contract.accounts.createRole, { body: { name: 'Others', rules: [] } })
    const own = { params: { engine_id: second!.engine_id } }
    await admin.call(contract.engines.updateEngine, { ...own, body: saved('Wise', 1, { role_ids: [role.role_id] }) })
    expect(await choices(ann)).toEqual(['Fast'])
    const { conversation_id } = await say(ann, 'Hello')
    const params = { conversation_id }
    for (const engine of [
      { engine_id: second!.engine_id, model: 'Wise-small' },
      { engine_id: 'eng_nothing', model: 'Fast-small' },
      { engine_id: (await ann.call(contract.chat.listEngines)).items[0]!.engine_id, model: 'gpt' },
    ]) {
      const message = { body: { message: 'No', conversation_id, engine } }
      expect(await codeOf(ann.call(contract.chat.send, message))).toBe('engine_not_allowed')
      const change = { params, body: { engine, title: 'Stolen' } }
      expect(await codeOf(ann.call(contract.chat.updateConversation, change))).toBe('engine_not_allowed')
    }
    const { messages, title } = await ann.call(contract.chat.conversation, { params })
    expect([messages.length, title]).toEqual([2, 'Hello'])
    await admin.call(contract.engines.updateEngine, { ...own, body: saved('Wise', 1) })
    expect(await choices(ann)).toEqual(['Fast', 'Wise'])
  })

  test('a key is only ever sent to the place it was stored for', async () => {
    const [first, second] = (await admin.call(contract.engines.listEngines)).items
    const elsewhere = { provider: 'openai-compatible' as const, base_url: 'http://127.0.0.1:9/v1', model: 'm' }
    for (const engine_id of [first!.engine_id, undefined])
      expect(await codeOf(admin.call(contract.engines.testEngine, { body: { ...elsewhere, engine_id } }))).toBe(
        'engine_key_elsewhere',
      )
    const moved = saved('Wise', 1, { base_url: elsewhere.base_url })
    const params = { engine_id: second!.engine_id }
    expect(await codeOf(admin.call(contract.engines.updateEngine, { params, body: moved }))).toBe(
      'engine_key_elsewhere',
    )
    const here = { ...elsewhere, base_url: models[1]!.url, engine_id: second!.engine_id }
    await admin.call(contract.engines.testEngine, { body: here })
    expect(models[1]!.requests.at(-1)?.headers.authorization).toBe('Bearer sk-second')
    await admin.call(contract.engines.testEngine, { body: { ...here, engine_id: null } })
    expect(String(models[1]!.requests.at(-1)?.headers.authorization)).not.toContain('sk-second')
  })

  test('use is counted per engine, and a role may have a limit for one of them', async () => {
    const { engines } = await admin.call(contract.usage.allUsage, { query: { days: 2 } })
    expect(new Set(engines.map(({ name }) => name))).toEqual(new Set(['Fast', 'Wise']))
    const [first, second] = (await admin.call(contract.engines.listEngines)).items
    const none = { messages: null, tokens: null, cost_micros: null }
    const quota = { day: { ...none, messages: 1 }, month: none }
    const save = (engine_id: string | undefined, body: z.input<typeof Quota>) =>
      admin.call(contract.usage.saveQuota, { params: { role_id }, body: { ...body, engine_id } })
    expect(await codeOf(save('eng_nothing', quota))).toBe('not_found')
    await save(second!.engine_id, quota)
    const listed = (await admin.call(contract.usage.quotas)).items.find((item) => item.role_id === role_id)
    expect(listed).toMatchObject({ quota: { day: none }, engines: [{ engine_id: second!.engine_id, quota }] })
    const engine = { engine_id: second!.engine_id, model: 'Wise-small' }
    const body = { message: 'One too many', conversation_id: null, engine }
    const unlimited = { day: none, month: none }
    await withinOneDay(async () => {
      await save(second!.engine_id, unlimited)
      expect(await say(ann, 'The only one', { engine })).toMatchObject({ engine: second!.name })
      await save(second!.engine_id, quota)
      expect(await codeOf(ann.call(contract.chat.send, { body }))).toBe('quota_used_up')
    })
    expect(await say(ann, 'Elsewhere')).toMatchObject({ engine: first!.name })
    await save(second!.engine_id, unlimited)
    expect((await ann.call(contract.chat.send, { body })).status).toBe(200)
  })

  test('one that is gone is replaced by the default, which is said once', async () => {
    const third = await add('Brief', 1)
    const engine = { engine_id: third.engine_id, model: 'Brief-small' }
    const { body } = await ann.call(contract.chat.send, { body: { message: 'Hi', conversation_id: null, engine } })
    const { conversation_id } = body
    await admin.call(contract.engines.deleteEngine, { params: { engine_id: third.engine_id } })
    expect(await say(ann, 'Still there?', { conversation_id })).toMatchObject({ engine: 'Fast' })
    expect(noticesOf(await lastAnswer(ann, conversation_id))).toEqual(['engine_gone'])
    await say(ann, 'And now?', { conversation_id })
    expect(noticesOf(await lastAnswer(ann, conversation_id))).toEqual([])
    const gone = { params: { engine_id: third.engine_id } }
    expect(await codeOf(admin.call(contract.engines.deleteEngine, gone))).toBe('not_found')
  })

  test('a repeated request gets its run, though the engine that it chose has since been removed', async () => {
    const third = await add('Passing', 1)
    const engine = { engine_id: third.engine_id, model: 'Passing-small' }
    const headers = { 'idempotency-key': 'chosen-and-gone' }
    const request = { body: { message: 'Once', conversation_id: null, engine }, headers }
    const first = await ann.call(contract.chat.send, request)
    await admin.call(contract.engines.deleteEngine, { params: { engine_id: third.engine_id } })
    expect(await ann.call(contract.chat.send, request)).toEqual(first)
    const other = { ...request, headers: { 'idempotency-key': 'chosen-too-late' } }
    expect(await codeOf(ann.call(contract.chat.send, other))).toBe('engine_not_allowed')
  })

  test('the default can be another one, and the oldest follows one that is removed', async () => {
    const [, second] = (await admin.call(contract.engines.listEngines)).items
    const params = { engine_id: second!.engine_id }
    await admin.call(contract.engines.updateEngine, { params, body: saved('Wise', 1, { default: true, naming: true }) })
    expect(await names()).toEqual([
      ['Wise', true],
      ['Fast', false],
    ])
    await admin.call(contract.engines.deleteEngine, { params })
    expect(await names()).toEqual([['Fast', true]])
  })

  test('a role that may use none works in direct mode', async () => {
    const [first] = (await admin.call(contract.engines.listEngines)).items
    const { role } = await admin.call(contract.accounts.createRole, { body: { name: 'Chosen', rules: [] } })
    const body = saved('Fast', 0, { role_ids: [role.role_id] })
    await admin.call(contract.engines.updateEngine, { params: { engine_id: first!.engine_id }, body })
    expect(await say(ann, 'Hello?')).toMatchObject({ ai_mode: 'direct', engine: null, model: null })
    expect(await ann.call(contract.chat.listTools)).toMatchObject({ ai_mode: 'direct' })
    const after = { params: { engine_id: first!.engine_id }, body: saved('Fast', 0) }
    await admin.call(contract.engines.updateEngine, after)
    expect(await say(ann, 'Hello!')).toMatchObject({ ai_mode: 'model' })
  })

  test('there are at most fifty', async () => {
    for (let i = 1; i < 50; i++) await add(`Number ${i}`, 0)
    expect(await codeOf(add('Number 50', 0))).toBe('too_many_engines')
    expect((await admin.call(contract.engines.listEngines)).items).toHaveLength(50)
    expect((await begin(ann, 'Hello')).run_id).toMatch(/^run_/)
  })
})

describe('the engine of the environment among others', () => {
  test('is the default, and read-only', async () => {
    await using model = await startScriptedModel(() => [{ text: 'From the environment.' }])
    await using app = await startTestApp({ model })
    const admin = await app.as('admin')
    const body = {
      provider: 'openai-compatible' as const,
      base_url: model.url,
      name: 'Saved',
      model: 'saved',
      ...LIMITS,
    }
    await admin.call(contract.engines.addEngine, { body: { ...body, default: true } })
    const { items } = await admin.call(contract.engines.listEngines)
    expect(items).toMatchObject([
      { engine_id: 'environment', source: 'environment', name: 'scripted', default: true },
      { source: 'settings', name: 'Saved', default: false },
    ])
    const params = { engine_id: 'environment' }
    expect(await codeOf(admin.call(contract.engines.updateEngine, { params, body }))).toBe('engine_read_only')
    expect(await codeOf(admin.call(contract.engines.deleteEngine, { params }))).toBe('engine_read_only')
    expect(await say(admin, 'Hello')).toMatchObject({ engine: 'scripted' })
    const engine = { engine_id: items[1]!.engine_id, model: 'saved' }
    const sent = await admin.call(contract.chat.send, { body: { message: 'Hello', conversation_id: null, engine } })
    expect(sent.body).toMatchObject({ engine: 'Saved', model: 'saved' })
  })
})
