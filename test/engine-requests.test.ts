import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { AiProvider } from '../server/ai/engine-setting.ts'
import { readConfig } from '../server/app/config.ts'
import { lastAnswer, noticesOf, partsOf, say } from './stage/chat-stage.ts'
import type { ProblemAnswer } from './stage/client.ts'
import { openScenarios, type ScenarioStage } from './stage/engines/scenario-stage.ts'
import { candidate, delta, sse, WIRES } from './stage/engines/wires.ts'
import type { Reply } from './stage/servers/engine-bytes.ts'
import { databases } from './stage/servers/postgres.ts'
import { withinOneDay } from './stage/time/within-one-day.ts'

const LIMITS = { context_tokens: 32_000, price: null, timeout_ms: 60_000, idle_timeout_ms: 60_000 }
const any = 'openai-compatible'
const answer = (text: string): Reply => WIRES[any].text(text)

describe.each(databases)('how requests to an engine are made, on $name', (database) => {
  let stage: ScenarioStage
  let count = 0
  beforeAll(async () => {
    stage = await openScenarios(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const admin = () => stage.app.as('admin')
  const body = (name: string, provider: AiProvider, more: object = {}) => {
    const base_url = `${stage.server.origin}/${name}`
    return { provider, name, base_url, model: name, api_key: `sk-${name}`, ...LIMITS, ...more }
  }
  const add = async (name: string, provider: AiProvider, more: object = {}) =>
    (await (await admin()).call(contract.engines.addEngine, { body: body(name, provider, more) })).engine

  /** What an engine is asked when somebody writes. */
  async function asked(engine: { engine_id: string; model: string }, provider: AiProvider, ...replies: Reply[]) {
    const cue = `request number ${++count}.`
    const requests = stage.server.play(cue, replies, WIRES[provider].text('Done.'))
    const { engine_id, model } = engine
    await say(stage.client, cue, { engine: { engine_id, model } })
    return requests
  }

  test('headers, query, maximal output, effort, and no stream options', async () => {
    const request = {
      headers: [
        { name: 'api-key', value: '{key}' },
        { name: 'X-Team', value: 'ops' },
      ],
      query: [{ name: 'api-version', value: '2024-10-21' }],
      max_output_tokens: 900,
      effort: 'low' as const,
      cache: false,
      count_tokens: false,
      ollama: false,
    }
    const engine = await add('azure', any, { request })
    expect(engine.request).toEqual(request)
    const [sent] = await asked(engine, any)
    expect(sent!.path).toBe('/azure/chat/completions?api-version=2024-10-21')
    expect(sent!.headers).toMatchObject({ 'api-key': 'sk-azure', 'x-team': 'ops' })
    // Its key goes where the header says, and nowhere else.
    expect(sent!.headers.authorization).toBeUndefined()
    expect(sent!.body).toMatchObject({ max_tokens: 900, reasoning_effort: 'low' })
    expect(sent!.body).not.toHaveProperty('stream_options')

    const client = await admin()
    const { items } = await client.call(contract.accounts.audit, { query: { action: 'engine.updated' } })
    const names = { headers: ['api-key', 'X-Team'], query: ['api-version'] }
    expect(items[0]).toMatchObject({ details: { request: { ...names, effort: 'low' } } })
    // What is not said stays as it is, and other keys of the form do not.
    const { engine_id } = engine
    const kept = await client.call(contract.engines.updateEngine, { params: { engine_id }, body: body('azure', any) })
    expect(kept.engine.request).toEqual(request)
  })

  test('without any of it everything is as it was', async () => {
    const engine = await add('plain', any)
    const [sent] = await asked(engine, any)
    expect(sent!.path).toBe('/plain/chat/completions')
    expect(sent!.headers.authorization).toBe('Bearer sk-plain')
    expect(sent!.body).toMatchObject({ stream_options: { include_usage: true } })
    for (const field of ['max_tokens', 'reasoning_effort']) expect(sent!.body).not.toHaveProperty(field)
  })

  test('Anthropic keeps the beginning of requests where that is wanted', async () => {
    const usual = await add('claude', 'anthropic')
    expect(JSON.stringify((await asked(usual, 'anthropic'))[0]!.body)).not.toContain('cache_control')
    const cached = await add('claude-cached', 'anthropic', { request: { cache: true } })
    expect(JSON.stringify((await asked(cached, 'anthropic'))[0]!.body)).toContain(
      '"cache_control":{"type":"ephemeral"}',
    )
  })

  test.each([
    [{ name: 'Host', value: 'evil.test' }],
    [{ name: 'Content-Length', value: '1' }],
    [{ name: 'x y', value: '1' }],
    [{ name: 'x', value: 'a\r\nb: c' }],
  ])('a header that is not for anybody to set is refused: %j', async (header) => {
    const refused = add('odd', any, { request: { headers: [header] } })
    await expect(refused).rejects.toMatchObject({ status: 422 })
  })

  const broken = (): Reply => ({ status: 500, body: { error: { message: 'gone' } }, headers: { 'retry-after': '0' } })

  test('another engine stands in for one that fails before it says anything', async () => {
    const second = await add('second', any)
    const first = await add('first', any, { fallback_id: second.engine_id })
    expect(first.fallback_id).toBe(second.engine_id)
    const requests = await asked(first, any, broken(), broken(), answer('From the second.'))
    expect(requests.map(({ path }) => path.split('/')[1])).toEqual(['first', 'first', 'second'])
    const { items } = await stage.client.call(contract.chat.listConversations)
    const message = await lastAnswer(stage.client, items[0]!.conversation_id)
    expect(partsOf(message, 'text').map(({ text }) => text)).toEqual(['From the second.'])
    expect(noticesOf(message)).toEqual(['engine_again', 'engine_fallback'])
    expect(partsOf(message, 'notice').at(-1)!.notice.text).toBe('The engine failed. second answers instead.')
    const run = await stage.client.call(contract.chat.run, { params: { run_id: message.run_id! } })
    expect(run).toMatchObject({ status: 'done', engine: 'second', input_tokens: 12, output_tokens: 7 })

    // What its provider refuses to everybody from here, too.
    const elsewhere = { status: 403, body: { error: { message: 'Country, region, or territory not supported' } } }
    await asked(first, any, elsewhere, answer('From there.'))
    // Not after a word, and not for what is wrong with the request itself.
    const words = { body: sse(delta({ content: 'Well,' })), cut: true } as const
    await expect(asked(first, any, words)).rejects.toMatchObject({ code: 'ai_unavailable' })
    const refused = { status: 400, body: { error: { message: 'bad schema' } } }
    await expect(asked(first, any, refused)).rejects.toMatchObject({ code: 'run_failed' })

    // One whose quota is used up neither: what it answers for another is counted for it.
    const client = await admin()
    const role_id = (await client.call(contract.accounts.listRoles)).items.find(({ name }) => name === 'user')!.role_id
    const limit = async (messages: number | null) => {
      const meters = { messages, tokens: null, cost_micros: null }
      const body = { engine_id: second.engine_id, day: meters, month: { ...meters, messages: null } }
      await client.call(contract.usage.saveQuota, { params: { role_id }, body })
    }
    await withinOneDay(async () => {
      await limit(null)
      await asked(first, any, broken(), broken(), answer('Instead.'))
      await limit(1)
      await expect(asked(first, any, broken(), broken())).rejects.toMatchObject({ code: 'ai_unavailable' })
    })
    await limit(100)
    await asked(first, any, broken(), broken(), answer('Once more.'))
    await limit(null)

    // One that the role may not use stands in for nothing; one that is gone neither.
    const { role } = await client.call(contract.accounts.createRole, { body: { name: 'Nobody', rules: [] } })
    const params = { engine_id: second.engine_id }
    await client.call(contract.engines.updateEngine, {
      params,
      body: body('second', any, { role_ids: [role.role_id] }),
    })
    await expect(asked(first, any, ...Array<Reply>(4).fill(broken()))).rejects.toMatchObject({ code: 'ai_unavailable' })
    await client.call(contract.engines.deleteEngine, { params })
    const list = await client.call(contract.engines.listEngines)
    expect(list.items.find(({ name }) => name === 'first')!.fallback_id).toBeNull()
  })

  test('what an answer cost that was none is counted, even if the step fails', async () => {
    const engine = await add('gemini', 'google')
    const malformed = { body: sse(candidate([], { finishReason: 'MALFORMED_FUNCTION_CALL' })) }
    const refused = { status: 400, body: { error: { message: 'bad schema' } } }
    await expect(asked(engine, 'google', malformed, refused)).rejects.toMatchObject({ code: 'run_failed' })
    const { engines } = await (await admin()).call(contract.usage.allUsage, { query: { days: 1 } })
    expect(engines.find(({ name }) => name === 'gemini')).toMatchObject({ input_tokens: 12, output_tokens: 7 })
  })

  test('an engine stands in neither for itself nor when it does not exist', async () => {
    const { engine_id } = await add('alone', any)
    const codeOf = (fallback_id: string) =>
      admin()
        .then((client) =>
          client.call(contract.engines.updateEngine, {
            params: { engine_id },
            body: body('alone', any, { fallback_id }),
          }),
        )
        .catch(({ code }: ProblemAnswer) => code)
    expect(await codeOf(engine_id)).toBe('not_found')
    expect(await codeOf('eng_nobody')).toBe('not_found')
  })
})

describe('the engine of the environment', () => {
  const env = { REEVE_AI_MODEL: 'x', REEVE_AI_BASE_URL: 'http://127.0.0.1:9/v1' }
  const requestOf = (text: string) => readConfig({ ...env, REEVE_AI_REQUEST: text }).ai

  test('has the same settings, as JSON', () => {
    expect(requestOf('{"effort":"high","query":[{"name":"api-version","value":"1"}]}')).toMatchObject({
      request: { effort: 'high', query: [{ name: 'api-version', value: '1' }], headers: [], count_tokens: true },
    })
  })

  test.each(['{', '{"effort":"huge"}', '{"efort":"low"}'])('refuses what it does not understand: %s', (text) => {
    expect(() => requestOf(text)).toThrow(/REEVE_AI_REQUEST/)
  })
})
