import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { readConfig } from '../server/app/config.ts'
import { lastAnswer, noticesOf, partsOf, say } from './stage/chat-stage.ts'
import { probe } from './stage/engines/probe.ts'
import { openScenarios, type ScenarioStage } from './stage/engines/scenario-stage.ts'
import type { Reply } from './stage/servers/engine-bytes.ts'
import { databases } from './stage/servers/postgres.ts'

const LIMITS = { context_tokens: 24_000, price: null, timeout_ms: 60_000, idle_timeout_ms: 60_000 }
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Lines as Ollama writes them. */
const lines = (...pieces: object[]): Reply => ({
  body: pieces.map((piece) => `${JSON.stringify(piece)}\n`).join(''),
  headers: { 'content-type': 'application/x-ndjson' },
})
const piece = (message: object) => ({
  model: 'm',
  message: { role: 'assistant', content: '', ...message },
  done: false,
})
const DONE = { model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' }
const COUNTED = { prompt_eval_count: 12, eval_count: 7 }
const text = (content: string): Reply => lines(piece({ content }), { ...DONE, ...COUNTED })
const look = (place: string) => ({ function: { name: 'probe__look', arguments: { place } } })

describe.each(databases)('an engine that is Ollama, on $name', (database) => {
  let stage: ScenarioStage
  let count = 0
  let engine: { engine_id: string; model: string }
  const body = (more: object = {}) => ({
    provider: 'openai-compatible' as const,
    name: 'Workshop',
    base_url: `${stage.server.origin}/workshop/v1`,
    model: 'qwen3',
    api_key: 'sk-workshop',
    ...LIMITS,
    request: { ollama: true, max_output_tokens: 900, effort: 'low' as const },
    ...more,
  })
  const admin = () => stage.app.as('admin')
  beforeAll(async () => {
    stage = await openScenarios(database, { builtins: [probe] })
    engine = (await (await admin()).call(contract.engines.addEngine, { body: body() })).engine
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** What the server is asked when somebody writes, and what the person sees. */
  async function asked(replies: Reply[], more: { attachment_ids?: string[] } = {}) {
    const cue = `at the workshop ${++count}.`
    const requests = stage.server.play(cue, replies, text('Done.'))
    const { conversation_id } = await stage.client.call(contract.chat.reset)
    const chosen = { engine_id: engine.engine_id, model: engine.model }
    const said = await say(stage.client, cue, { conversation_id, engine: chosen, ...more }).catch(() => null)
    const answer = await lastAnswer(stage.client, conversation_id)
    const run = await stage.client.call(contract.chat.run, { params: { run_id: answer.run_id! } })
    const words = (type: 'text' | 'reasoning') => partsOf(answer, type).map((part) => part.text)
    return { requests, said, answer, run, text: words('text').join('|'), reasoning: words('reasoning').join('|') }
  }

  test('its context is set to that of its settings, and nothing is left out in silence', async () => {
    const { requests, ...seen } = await asked([
      lines(piece({ thinking: 'Hm.' }), piece({ content: 'Go' }), piece({ content: 'od.' }), { ...DONE, ...COUNTED }),
    ])
    expect(seen).toMatchObject({ text: 'Good.', reasoning: 'Hm.', run: { input_tokens: 12, output_tokens: 7 } })
    const [sent] = requests
    expect(sent!.path).toBe('/workshop/api/chat')
    expect(sent!.headers.authorization).toBe('Bearer sk-workshop')
    expect(sent!.body).toMatchObject({
      model: 'qwen3',
      stream: true,
      truncate: false,
      think: 'low',
      options: { num_ctx: 24_000, num_predict: 900 },
    })
    expect(sent!.body.tools).toContainEqual(
      expect.objectContaining({ type: 'function', function: expect.objectContaining({ name: 'probe__look' }) }),
    )
    for (const field of ['stream_options', 'max_tokens', 'tool_choice', 'reasoning_effort'])
      expect(sent!.body).not.toHaveProperty(field)
  })

  test('calls come as objects, without ids or over several lines, and their results name the tool', async () => {
    const { requests, answer } = await asked([
      lines(
        piece({ thinking: 'Two of them.' }),
        piece({ tool_calls: [look('here')] }),
        piece({ tool_calls: [{ id: 'own', ...look('there') }] }),
        { ...DONE, ...COUNTED },
      ),
    ])
    const calls = partsOf(answer, 'tool_call').map(({ tool_call }) => [tool_call.arguments, tool_call.status])
    expect(calls).toEqual([
      [{ place: 'here' }, 'done'],
      [{ place: 'there' }, 'done'],
    ])
    const messages = requests[1]!.body.messages as Record<string, unknown>[]
    expect(messages.slice(-3)).toMatchObject([
      {
        role: 'assistant',
        thinking: 'Two of them.',
        tool_calls: [
          { function: { index: 0, name: 'probe__look', arguments: { place: 'here' } } },
          { id: 'own', function: { index: 1, name: 'probe__look', arguments: { place: 'there' } } },
        ],
      },
      { role: 'tool', tool_name: 'probe__look', content: '{"place":"here"}' },
      { role: 'tool', tool_name: 'probe__look', content: '{"place":"there"}' },
    ])
  })

  test('a picture goes beside the words', async () => {
    const { file } = await stage.client.call(contract.files.upload, {
      body: Buffer.from(PIXEL, 'base64'),
      headers: { 'x-file-name': 'dot.png' },
    })
    const { requests } = await asked([], { attachment_ids: [file.file_id] })
    const message = (requests[0]!.body.messages as Record<string, unknown>[]).at(-1)!
    expect(message).toMatchObject({ role: 'user', images: [expect.stringMatching(/^[A-Za-z0-9+/]+=*$/)] })
    expect(message.content).toMatch(/^at the workshop/)
  })

  test('what no longer fits is asked again within half of the size', async () => {
    const error = JSON.stringify({
      error: {
        code: 400,
        message: 'request (29000 tokens) exceeds the available context size (24000 tokens), try increasing it',
        type: 'exceed_context_size_error',
      },
    })
    const { requests, text: said } = await asked([{ status: 400, body: { error } }])
    expect([requests.length, said]).toEqual([2, 'Done.'])
  })

  test.each([
    [
      'an answer that ends at its limit',
      lines(piece({ content: 'So' }), { ...DONE, done_reason: 'length' }),
      'answer_cut',
    ],
    ['nothing at all', lines(DONE), 'empty_answer'],
  ])('%s', async (_what, given, notice) => {
    const { answer, run } = await asked([given])
    expect(noticesOf(answer)).toEqual([notice])
    expect(run.status).toBe('done')
  })

  test.each([
    ['a model that is not there', { status: 404, body: { error: "model 'qwen3' not found" } }, 'engine_model', 1],
    [
      'an error within the stream',
      lines(piece({ content: 'So' }), { error: 'an error was encountered' }),
      'engine_error',
      1,
    ],
    ['a stream that ends without an end', lines(piece({ content: 'So' })), 'engine_cut', 1],
    ['no lines of this kind', { body: 'what is this?\n' }, 'engine_answer', 1],
  ])('%s', async (_what, given, code, times) => {
    const { requests, run } = await asked([given])
    expect([run.error_code, requests.length]).toEqual([code, times])
  })

  test('its setting is kept, audited, and apart from what older processes read', async () => {
    const client = await admin()
    const params = { engine_id: engine.engine_id }
    const { request: _, ...rest } = body()
    const kept = await client.call(contract.engines.updateEngine, { params, body: rest })
    expect(kept.engine.request).toMatchObject({ ollama: true, effort: 'low' })
    const row = await stage.app.app.db.read
      .selectFrom('engine')
      .select(['request', 'ollama'])
      .where('engine_id', '=', engine.engine_id)
      .executeTakeFirstOrThrow()
    expect([JSON.parse(row.request), row.ollama]).toEqual([{ max_output_tokens: 900, effort: 'low' }, 1])
    const { items } = await client.call(contract.accounts.audit, { query: { action: 'engine.updated' } })
    expect(items[0]).toMatchObject({ details: { request: { ollama: true } } })
    // A page of an earlier version says everything but this; elsewhere it is another engine.
    const earlier = { ...rest, request: { effort: 'low' as const } }
    const saved = await client.call(contract.engines.updateEngine, { params, body: earlier })
    expect(saved.engine.request).toMatchObject({ ollama: true, effort: 'low', max_output_tokens: null })
    const elsewhere = { ...earlier, base_url: 'http://127.0.0.1:9/v1', api_key: null }
    const moved = await client.call(contract.engines.updateEngine, { params, body: elsewhere })
    expect(moved.engine.request.ollama).toBe(false)
    const back = await client.call(contract.engines.updateEngine, { params, body: body() })
    expect(back.engine.request).toEqual(kept.engine.request)
  })

  test('a test of the settings loads the model with the context that it will have', async () => {
    const requests = stage.server.play('test.report', [text('ready')], text('ready'))
    const { name: _, price: __, timeout_ms: ___, idle_timeout_ms: ____, ...given } = body({ context_tokens: 16_000 })
    await (await admin()).call(contract.engines.testEngine, { body: given })
    expect(requests[0]!.body).toMatchObject({ options: { num_ctx: 16_000 } })
    // That of the engine where none is given, and never more than its model is known to take.
    const { engine_id, model } = engine
    const { context_tokens: _____, ...without } = given
    await (await admin()).call(contract.engines.testEngine, { body: { ...without, engine_id } })
    expect(requests[1]!.body).toMatchObject({ options: { num_ctx: 24_000 } })
    const params = { engine_id }
    await (await admin()).call(contract.engines.setModelFacts, { params, body: { model, context: 9000 } })
    await (await admin()).call(contract.engines.testEngine, { body: { ...given, engine_id } })
    expect(requests[2]!.body).toMatchObject({ options: { num_ctx: 9000 } })
    // What is known of it says nothing about another place.
    const elsewhere = { ...given, base_url: `${stage.server.origin}/elsewhere/v1` }
    await (await admin()).call(contract.engines.testEngine, { body: { ...elsewhere, engine_id } })
    expect(requests[3]!.body).toMatchObject({ options: { num_ctx: 16_000 } })
    await (await admin()).call(contract.engines.setModelFacts, { params, body: { model, context: null } })
  })
})

test('the environment can say that its engine is Ollama', () => {
  const env = { REEVE_AI_BASE_URL: 'http://127.0.0.1:11434/v1', REEVE_AI_MODEL: 'qwen3' }
  expect(readConfig({ ...env, REEVE_AI_REQUEST: '{"ollama":true}' }).ai).toMatchObject({
    request: { ollama: true, count_tokens: true },
  })
})
