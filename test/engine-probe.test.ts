import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { AiProvider } from '../server/ai/engine-setting.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { type ProbedServer, serveProbe } from './stage/engines/probed-server.ts'
import { databases } from './stage/servers/postgres.ts'

const { engines: routes } = contract

const SERVERS: readonly [name: string, server: ProbedServer, facts: Record<string, [source: string, value: number]>][] =
  [
    [
      'Ollama, which runs it with less than it could take',
      {
        paths: {
          '/api/show': {
            capabilities: ['completion', 'tools', 'thinking'],
            model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 131_072 },
          },
          '/api/ps': { models: [{ name: 'probed:latest', model: 'probed:latest', context_length: 4096 }] },
        },
        tools: 'one',
        pictures: 'refused',
      },
      { tools: ['tried', 1], pictures: ['tried', 0], reasoning: ['told', 1], context: ['told', 4096] },
    ],
    [
      'Ollama before it said what it runs',
      {
        paths: {
          '/api/show': {
            capabilities: ['completion', 'vision'],
            parameters: 'num_ctx                        8192\nstop "x"',
          },
        },
        tools: 'refused',
        pictures: 'guessed',
      },
      { tools: ['tried', 0], pictures: ['told', 1], reasoning: ['told', 0], context: ['told', 8192] },
    ],
    [
      'OpenRouter',
      {
        paths: {
          '/v1/models': {
            data: [
              { id: 'another', context_length: 1000 },
              {
                id: 'probed',
                context_length: 163_840,
                architecture: { input_modalities: ['text', 'image'] },
                supported_parameters: ['tools', 'reasoning'],
              },
            ],
          },
        },
        tools: 'two',
        pictures: 'seen',
      },
      {
        tools: ['tried', 1],
        parallel: ['tried', 1],
        pictures: ['tried', 1],
        reasoning: ['told', 1],
        context: ['told', 163_840],
      },
    ],
    [
      'vLLM',
      {
        paths: { '/v1/models': { data: [{ id: 'probed', max_model_len: 32_768 }] } },
        tools: 'none',
        pictures: 'refused',
      },
      { pictures: ['tried', 0], context: ['told', 32_768] },
    ],
    [
      'Mistral',
      {
        paths: {
          '/v1/models': {
            data: [
              { id: 'probed', max_context_length: 32_768, capabilities: { function_calling: true, vision: false } },
            ],
          },
        },
        tools: 'none',
        pictures: 'guessed',
      },
      { tools: ['told', 1], pictures: ['told', 0], context: ['told', 32_768] },
    ],
    [
      'LM Studio',
      {
        paths: {
          '/api/v0/models/probed': {
            type: 'vlm',
            max_context_length: 131_072,
            loaded_context_length: 8192,
            capabilities: ['tool_use'],
          },
        },
        tools: 'none',
        pictures: 'seen',
      },
      { tools: ['told', 1], pictures: ['tried', 1], context: ['told', 8192] },
    ],
    [
      'llama.cpp',
      {
        paths: { '/props': { default_generation_settings: { n_ctx: 16_384 }, modalities: { vision: false } } },
        tools: 'two',
        pictures: 'refused',
      },
      { tools: ['tried', 1], parallel: ['tried', 1], pictures: ['tried', 0], context: ['told', 16_384] },
    ],
    [
      'Google',
      {
        paths: { '/v1/models/probed': { inputTokenLimit: 1_048_576, thinking: true } },
        tools: 'two',
        pictures: 'seen',
        wire: 'google',
      },
      {
        tools: ['tried', 1],
        parallel: ['tried', 1],
        pictures: ['tried', 1],
        reasoning: ['told', 1],
        context: ['told', 1_048_576],
      },
    ],
    ['one that says nothing', { tools: 'none', pictures: 'guessed' }, {}],
  ]

describe.each(databases)('a probe of a model on $name', (database) => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let admin: TestClient
  beforeAll(async () => {
    app = opened.use(await startTestApp({ database }))
    admin = await app.as('admin')
  })
  afterAll(() => opened.disposeAsync())

  test.each(SERVERS)('%s', async (name, server, facts) => {
    await using running = await serveProbe(server)
    const { wire = 'openai-compatible' } = server
    const { engine } = await admin.call(routes.addEngine, { body: ofEngine(name, wire, running.url) })
    const { engine_id } = engine
    expect(engine.facts).toEqual([{ model: 'probed', facts: [] }])
    const probed = await admin.call(routes.probeModel, { params: { engine_id }, body: { model: 'probed' } })
    expect(probed.problem).toBeNull()
    expect(factsOf(probed.engine)).toEqual(facts)
    // At most two small requests are paid for.
    expect(running.chats).toBe(2)
    await admin.call(routes.deleteEngine, { params: { engine_id } })
  })

  test.each<[string, (number: string) => string, boolean]>([
    ['digit by digit', (number) => `4 digits: ${[...number].join(' ')}`, true],
    ['as an amount', (number) => Number(number).toLocaleString('en'), true],
    ['among others', (number) => `1. ${number}`, true],
    ['with one digit too many', (number) => `${number}5`, false],
    ['the other way round', (number) => [...number].reverse().join(''), false],
  ])('a number that is written %s', async (_how, writing, sees) => {
    await using running = await serveProbe({ pictures: 'seen', writing })
    const { engine } = await admin.call(routes.addEngine, {
      body: ofEngine('writing', 'openai-compatible', running.url),
    })
    const params = { engine_id: engine.engine_id }
    const probed = await admin.call(routes.probeModel, { params, body: { model: 'probed' } })
    expect(factsOf(probed.engine)).toEqual(sees ? { pictures: ['tried', 1] } : {})
    await admin.call(routes.deleteEngine, { params })
  })

  test('Ollama is tried with the context that its runs will have', async () => {
    const model_info = { 'qwen3.context_length': 9000 }
    await using running = await serveProbe({ paths: { '/api/show': { capabilities: ['completion'], model_info } } })
    const body = { ...ofEngine('own wire', 'openai-compatible', running.url), request: { ollama: true } }
    const { engine } = await admin.call(routes.addEngine, { body })
    const params = { engine_id: engine.engine_id }
    const once = () => admin.call(routes.probeModel, { params, body: { model: 'probed' } })
    expect(factsOf((await once()).engine)).toMatchObject({ context: ['told', 9000] })
    await admin.call(routes.setModelFacts, { params, body: { model: 'probed', context: 20_000 } })
    await once()
    await admin.call(routes.setModelFacts, { params, body: { model: 'probed', context: 4000 } })
    await once()
    expect(running.contexts).toEqual([9000, 9000, 20_000, 20_000, 4000, 4000])
    await admin.call(routes.deleteEngine, { params })
  })

  test('what is found of an engine that meanwhile is another is dropped', async () => {
    await using there = await serveProbe({ tools: 'refused' })
    const body = ofEngine('moving', 'openai-compatible', there.url)
    const probed = { model: 'probed' }
    const params = { engine_id: '' }
    const moves = async () => {
      await admin.call(routes.updateEngine, { params, body })
      await admin.call(routes.probeModel, { params, body: probed })
    }
    await using here = await serveProbe({ tools: 'two', pictures: 'seen', meanwhile: moves })
    const { engine } = await admin.call(routes.addEngine, { body: { ...body, base_url: `${here.url}/v1` } })
    params.engine_id = engine.engine_id
    const late = await admin.call(routes.probeModel, { params, body: probed })
    expect(factsOf(late.engine)).toEqual({ tools: ['tried', 0] })

    // Of a model that it has no more, and of an engine that is gone.
    const other = { ...body, model: 'another' }
    await using renamed = await serveProbe({
      tools: 'two',
      meanwhile: () => admin.call(routes.updateEngine, { params, body: other }),
    })
    const renaming = { ...body, base_url: `${renamed.url}/v1` }
    await admin.call(routes.updateEngine, { params, body: renaming })
    await admin.call(routes.probeModel, { params, body: probed })
    await admin.call(routes.updateEngine, { params, body: renaming })
    const { items } = await admin.call(routes.listEngines)
    expect(factsOf(items.find(({ name }) => name === 'moving')!)).toEqual({})
    await using removed = await serveProbe({
      tools: 'two',
      meanwhile: () => admin.call(routes.deleteEngine, { params }),
    })
    await admin.call(routes.updateEngine, { params, body: { ...body, base_url: `${removed.url}/v1` } })
    await expect(admin.call(routes.probeModel, { params, body: probed })).rejects.toMatchObject({ code: 'not_found' })
    expect(await app.app.db.read.selectFrom('model_fact').selectAll().execute()).toEqual([])
  })

  test('one that is not there is told, and what is known stays', async () => {
    const running = await serveProbe({ tools: 'one' })
    const body = ofEngine('gone', 'openai-compatible', running.url)
    const { engine } = await admin.call(routes.addEngine, { body })
    const params = { engine_id: engine.engine_id }
    await admin.call(routes.probeModel, { params, body: { model: 'probed' } })
    await admin.call(routes.setModelFacts, { params, body: { model: 'probed', pictures: true } })
    await running[Symbol.asyncDispose]()
    const probed = await admin.call(routes.probeModel, { params, body: { model: 'probed' } })
    expect(probed.problem).toContain('No engine answers at this address')
    expect(factsOf(probed.engine)).toEqual({ tools: ['tried', 1], pictures: ['set', 1] })
    await expect(admin.call(routes.probeModel, { params, body: { model: 'another' } })).rejects.toMatchObject({
      code: 'not_found',
    })
    const other = await app.as('ann')
    await expect(other.call(routes.probeModel, { params, body: { model: 'probed' } })).rejects.toMatchObject({
      status: 403,
    })
    await admin.call(routes.deleteEngine, { params })
  })
})

function ofEngine(name: string, provider: AiProvider, url: string) {
  const limits = { context_tokens: 32_000, price: null, timeout_ms: 60_000, idle_timeout_ms: 60_000 }
  return { provider, name, base_url: `${url}/v1`, model: 'probed', api_key: 'sk-of-the-test', ...limits }
}

function factsOf({ facts }: { facts?: { facts: { fact: string; source: string; value: number }[] }[] | undefined }) {
  const all = facts?.flatMap((one) => one.facts) ?? []
  return Object.fromEntries(all.map(({ fact, source, value }) => [fact, [source, value]]))
}
