import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { any, error } from './stage/engines/refusals.ts'
import type { AiProvider } from '../server/ai/engine-setting.ts'
import { begin, lastAnswer, noticesOf, partsOf } from './stage/chat-stage.ts'
import { probe } from './stage/engines/probe.ts'
import { lines, openScenarios, type Scenario, type ScenarioStage, type Seen } from './stage/engines/scenario-stage.ts'
import { anthropicStart, candidate, delta, sse, toolCall, WIRES } from './stage/engines/wires.ts'
import type { Reply } from './stage/servers/engine-bytes.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const NOW = { 'retry-after': '0' }
const status = (code: number, body: string | object = error('try later')): Reply => ({
  status: code,
  body,
  headers: NOW,
})
/** The engine fails once, is asked again, and answers. */
const once = (wire: AiProvider, does: string, reply: Reply, notice = 'engine_again'): Scenario => [
  wire,
  does,
  [reply],
  { notices: [notice], asked: 2 },
]
const LOOK = { name: 'probe__look', args: '{"place":"here"}' }
const malformed = {
  body: sse(
    candidate([], { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed function call: print(' }),
  ),
}
const ended: Seen = { text: '', notices: ['engine_again', 'call_malformed'], asked: 4, tokens: [48, 28] }

const AGAIN: Scenario[] = [
  once(any, '408', status(408)),
  once(any, '409', status(409)),
  once(any, '425', status(425)),
  once(any, '429 with Retry-After', status(429), 'rate_limited'),
  once(
    any,
    '429 that says it in words (OpenAI, Groq)',
    { status: 429, body: error('Rate limit reached. Please try again in 120ms. Visit …') },
    'rate_limited',
  ),
  once(any, '498 (Groq: capacity exceeded)', status(498), 'rate_limited'),
  once(any, '500', status(500)),
  once(any, '502 as a web page', status(502, '<html><h1>502 Bad Gateway</h1></html>')),
  once(any, '503', status(503, 'no healthy upstream'), 'rate_limited'),
  once(
    any,
    '503 loading model (llama.cpp)',
    status(503, error('Loading model', { type: 'unavailable_error', code: 503 })),
    'rate_limited',
  ),
  once(any, '504', status(504, '')),
  once(any, '524 (Cloudflare: the origin took too long)', status(524, 'error code: 524')),
  once(any, '500 model runner stopped (Ollama)', status(500, { error: 'llama runner process has terminated' })),
  once(
    any,
    '500 from a provider behind LiteLLM',
    status(500, error('litellm.InternalServerError: AnthropicException - Overloaded', { code: '500' })),
  ),
  once(any, 'a connection reset before a byte', { cut: true }),
  once(any, 'a connection cut after the first event, before a word', {
    body: sse(delta({ role: 'assistant', content: '' })),
    cut: true,
  }),
  once(any, 'a connection cut in half a call', {
    body: sse(delta({ tool_calls: [toolCall({ ...LOOK, args: '{"pla' })] })),
    cut: true,
  }),
  once(any, 'an error in the stream before a word (OpenRouter)', {
    body: sse({ ...error('Provider disconnected', { code: 502 }), choices: [] }),
  }),
  once(
    'anthropic',
    '529 overloaded',
    status(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    'rate_limited',
  ),
  once(
    'anthropic',
    '500 api_error',
    status(500, { type: 'error', error: { type: 'api_error', message: 'Internal server error' } }),
  ),
  once('anthropic', 'api_error in the stream', {
    body: sse(anthropicStart, { type: 'error', error: { type: 'api_error', message: 'Internal server error' } }),
  }),
  once(
    'google',
    '503 overloaded',
    status(503, error('The model is overloaded.', { code: 503, status: 'UNAVAILABLE' })),
    'rate_limited',
  ),
  once('google', '500', status(500, error('An internal error has occurred.', { code: 500, status: 'INTERNAL' }))),
  once(
    'google',
    '429 free tier, with its delay in the body',
    {
      status: 429,
      body: error(
        'You exceeded your current quota, please check your plan and billing details. generate_content_free_tier_requests',
        { code: 429, status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '0s' }] },
      ),
    },
    'rate_limited',
  ),
  once('google', '503 in the stream before a word', {
    body: sse(error('The model is overloaded.', { code: 503, status: 'UNAVAILABLE' })),
  }),
  ['google', 'a malformed call', [malformed], { notices: ['engine_again'], asked: 2, tokens: [24, 14] }],
  ['google', 'nothing but malformed calls', [malformed, malformed, malformed, malformed], ended],
  once('openai', '500 server_error', status(500, error('The server had an error', { type: 'server_error' }))),
  [
    any,
    'the same failure whenever it is asked',
    [500, 502, 500, 503].map((code) => status(code === 503 ? 500 : code)),
    { code: 'engine_error', notices: ['engine_again', 'engine_error'], asked: 4 },
  ],
  [
    any,
    'first a limit, then a failure',
    [status(429), status(500)],
    { notices: ['rate_limited', 'engine_again'], asked: 3 },
  ],
  [
    any,
    'a failure after a call: the step is asked again, the call is not made again',
    [WIRES[any].calls(LOOK), status(500)],
    { notices: ['engine_again'], calls: [['probe.look', { place: 'here' }]], asked: 3 },
  ],
  [
    any,
    'a word, then a cut',
    [{ body: sse(delta({ content: 'Well,' })), cut: true }],
    { code: 'engine_cut', text: 'Well,', asked: 1 },
  ],
  [
    any,
    'a thought, then a cut',
    [{ body: sse(delta({ reasoning_content: 'Hm.' })), cut: true }],
    { code: 'engine_cut', reasoning: 'Hm.', asked: 1 },
  ],
  [
    any,
    'a word, then an error with a status',
    [{ body: sse(delta({ content: 'Well,' }), error('out of memory', { code: 500 })) }],
    { code: 'engine_error', text: 'Well,', asked: 1 },
  ],
  [
    'anthropic',
    'a word, then overloaded_error',
    [
      {
        body: sse(
          anthropicStart,
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
          { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Well,' } },
          { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
        ),
      },
    ],
    { code: 'engine_rate', text: 'Well,', asked: 1 },
  ],
]

describe.each(databases)('an engine that fails before it says anything, on $name', (database) => {
  let stage: ScenarioStage
  beforeAll(async () => {
    stage = await openScenarios(database, { builtins: [probe] })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test.each(lines(AGAIN))('%s · %s', async (_wire, _does, number, scenario) => {
    const { found, wanted } = await stage.run(number, scenario)
    expect(found).toEqual(wanted)
  })

  test('the pause can be seen, and stopped', async () => {
    const { client, server } = stage
    const asked = server.play(
      'to be stopped',
      [{ status: 500, body: error('gone'), headers: { 'retry-after': '50' } }],
      WIRES[any].text('Too late.'),
    )
    const engine = { engine_id: stage.engines.get(any)!, model: 'local' }
    const { conversation_id } = await begin(client, 'to be stopped', { engine })
    const notices = async () => partsOf(await lastAnswer(client, conversation_id), 'notice').map(({ notice }) => notice)
    await until(async () => (await notices()).length > 0)
    expect(await notices()).toMatchObject([
      { code: 'engine_again', seconds: 50, detail: 'gone', retry_at: expect.any(String) },
    ])
    await client.call(contract.chat.cancel, { body: { conversation_id } })
    await until(async () => (await lastAnswer(client, conversation_id)).status === 'cancelled')
    expect(noticesOf(await lastAnswer(client, conversation_id))).toEqual(['engine_again', 'run_cancelled'])
    expect(asked).toHaveLength(1)
  })
})
