import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { callsOf, config, engineFor, failureOf, scripted } from './stage/ai-steps.ts'

describe('a failing endpoint', () => {
  const error = (message: string, more: object = {}) => ({ error: { message, ...more } })

  it.each([
    [429, { 'retry-after': '7' }, error('slow down'), { code: 'engine_rate', retryAfter: 7 }],
    [429, { 'retry-after-ms': '1500', 'retry-after': '9' }, error('slow down'), { code: 'engine_rate', retryAfter: 2 }],
    [429, { 'retry-after': new Date(0).toUTCString() }, 'slow down', { code: 'engine_rate', retryAfter: 0 }],
    [429, {}, error('You exceeded your current quota', { code: 'insufficient_quota' }), { code: 'engine_quota' }],
    [402, {}, 'Payment Required', { code: 'engine_quota' }],
    [408, {}, 'Request Timeout', { code: 'engine_timeout', waited: null }],
    [500, {}, 'oops', { code: 'engine_error' }],
    [504, {}, 'Gateway Timeout', { code: 'engine_timeout' }],
    [503, { 'retry-after': '3' }, error('Loading model'), { code: 'engine_rate', retryAfter: 3 }],
    [404, {}, error('model "scripted" not found, try pulling it first'), { code: 'engine_model' }],
    [400, {}, error('temperature must be positive'), { code: 'engine_refused' }],
    [422, {}, '{"detail":"no"}', { code: 'engine_refused' }],
    // OpenAI, Anthropic, Google, llama.cpp, Ollama, vLLM, as they word it.
    [
      400,
      {},
      error("This model's maximum context length is 8192 tokens.", { code: 'context_length_exceeded' }),
      { code: 'engine_context' },
    ],
    [400, {}, error('Your input exceeds the context window of this model.'), { code: 'engine_context' }],
    [400, {}, error('prompt is too long: 215000 tokens > 200000 maximum'), { code: 'engine_context' }],
    [
      400,
      {},
      error('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
      { code: 'engine_context' },
    ],
    [
      400,
      {},
      error('the request exceeds the available context size', { type: 'exceed_context_size_error', n_ctx: 4096 }),
      { code: 'engine_context' },
    ],
    [400, {}, { error: 'the input length exceeds the context length' }, { code: 'engine_context' }],
    [
      400,
      {},
      {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000.",
        code: 400,
      },
      { code: 'engine_context' },
    ],
    [413, {}, 'Request Entity Too Large', { code: 'engine_context' }],
  ])('status %i %j', async (status, headers, body, expected) => {
    await using at = await scripted([[{ status, headers, body }]])
    expect((await failureOf(at.engine)).error).toMatchObject(expected)
  })

  it.each([401, 403])('never repeats the key when it is refused with %i', async (status) => {
    await using at = await scripted([[{ status, body: error('Incorrect API key provided: key-of-the-test') }]])
    const { error: refused } = await failureOf(at.engine)
    expect(refused.code).toBe('engine_key')
    expect(JSON.stringify([refused.message, refused.cause, refused.stack])).not.toContain('key-of-the-test')
    expect(refused.message).toContain('key')
  })

  it('never repeats the key in what a provider says otherwise', async () => {
    await using at = await scripted([[{ status: 400, body: error('bad header: key-of-the-test') }]])
    expect((await failureOf(at.engine)).error.message).toContain('bad header: ***')
  })

  it.each([
    [{ message: 'maximum context length is 10', code: 'context_length_exceeded' }, 'engine_context'],
    [{ message: 'Rate limit reached', type: 'rate_limit_error', code: 429 }, 'engine_rate'],
    [{ message: 'Internal server error', code: 500 }, 'engine_error'],
    [{ message: 'nobody knows' }, 'engine_error'],
    ['just text', 'engine_error'],
  ])('an error inside the stream: %j', async (inside, code) => {
    await using at = await scripted([[{ text: 'Hel' }, { error: inside }]])
    const { error: failure, chunks } = await failureOf(at.engine)
    expect(failure.code).toBe(code)
    expect(chunks).toEqual([{ type: 'text', text: 'Hel' }])
  })

  it.each([
    ['cut in the middle', [{ text: 'Hel' }, { cut: true as const }], 'engine_cut'],
    ['cut before it begins', [{ cut: true as const }], 'engine_cut'],
    ['ended without a finish', [{ text: 'Hel' }, { end: true as const }], 'engine_cut'],
    [
      'cut in half a call',
      [{ calls: [{ name: 'system.processes', arguments: '{"limit":1}' }] }, { end: true as const }],
      'engine_cut',
    ],
    ['garbage', [{ raw: 'data: {not json\n\n' }], 'engine_answer'],
    ['a page instead of a stream', [{ raw: '<html>Welcome</html>' }, { end: true as const }], 'engine_answer'],
    ['an empty answer', [{ end: true as const }], 'engine_answer'],
  ])('%s gives no call, and says what happened', async (_name, steps, code) => {
    await using at = await scripted([steps])
    const { error: failure, chunks } = await failureOf(at.engine)
    expect(failure.code).toBe(code)
    expect(callsOf(chunks)).toEqual([])
  })

  it('nobody listens', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const { error: failure } = await failureOf(engineFor(config({ base_url: `http://127.0.0.1:${port}` })))
    expect(failure).toMatchObject({ code: 'engine_network', message: expect.stringContaining('not reachable') })
  })

  it.each([
    ['the first byte', { timeout_ms: 30 }, [{ hang: true as const }]],
    ['the next piece', { idle_timeout_ms: 30 }, [{ text: 'Hel' }, { hang: true as const }]],
  ])('waits for %s only as long as configured', async (_name, limits, steps) => {
    await using at = await scripted([steps], limits)
    const { error: failure } = await failureOf(at.engine)
    expect(failure).toMatchObject({
      code: 'engine_timeout',
      waited: 0.03,
      message: 'The AI engine sent nothing for 0.03 seconds.',
    })
  })
})

it('refuses a configuration that cannot work with a sentence', () => {
  expect(() => engineFor(config())).toThrow(/An address is needed/)
  expect(() => engineFor(config({ base_url: 'ftp://x' }))).toThrow(/not an http/)
})

it.each(['openai', 'anthropic', 'google'] as const)('%s without a key says so before it asks', async (provider) => {
  const { error } = await failureOf(engineFor(config({ provider, api_key: null, base_url: 'http://127.0.0.1:9' })))
  expect(error).toMatchObject({ code: 'engine_no_key', message: expect.stringContaining('Administration, AI engine') })
})
