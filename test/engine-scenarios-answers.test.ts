import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { probe } from './stage/engines/probe.ts'
import { any, error, fails } from './stage/engines/refusals.ts'
import { lines, openScenarios, type Scenario, type ScenarioStage, type Seen } from './stage/engines/scenario-stage.ts'
import { anthropicBlock, anthropicEnd, anthropicStart, candidate, delta, sse, USED } from './stage/engines/wires.ts'
import type { Reply } from './stage/servers/engine-bytes.ts'
import { databases } from './stage/servers/postgres.ts'

const stop = delta({}, 'stop')
const stream = (...events: (object | string)[]): Reply => ({ body: sse(...events) })
const says = (does: string, reply: Reply, text = 'Hello there.', more: Seen = {}): Scenario => [
  any,
  does,
  [reply],
  { text, ...more },
]
const hello = [delta({ role: 'assistant', content: 'Hello' }), delta({ content: ' there.' })]
const words = (text: string, ...more: string[]) =>
  stream(...[text, ...more].map((content) => delta({ content })), stop, '[DONE]')
const whole = (message: object, more: object = {}): Reply => ({
  body: {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2 },
    ...more,
  },
})

/** What servers send besides, or instead of, what the wire says. */
const ANSWERS: Scenario[] = [
  says('as everybody does it', stream(...hello, stop, USED, '[DONE]'), undefined, { tokens: [12, 7] }),
  says('no finish_reason, but [DONE]', stream(...hello, '[DONE]'), undefined, { asked: 1 }),
  says(
    'an empty finish_reason in every piece',
    stream(
      ...hello.map((one) => ({
        ...one,
        choices: [{ ...(one as { choices: object[] }).choices[0], finish_reason: '' }],
      })),
      stop,
      '[DONE]',
    ),
  ),
  [
    any,
    'an empty finish_reason in every piece, then cut off',
    [{ body: sse(delta({ content: 'Hello' }, '')) }],
    { code: 'engine_cut', text: 'Hello', asked: 1 },
  ],
  [
    any,
    'neither finish_reason nor [DONE]: cut off',
    [{ body: sse(...hello) }],
    { code: 'engine_cut', text: 'Hello there.', asked: 1 },
  ],
  says('no [DONE]', stream(...hello, stop)),
  says('plain JSON instead of a stream', whole({ role: 'assistant', content: 'Hello there.' }), undefined, {
    tokens: [3, 2],
  }),
  says('plain JSON without finish_reason', { body: { choices: [{ message: { content: 'Hello there.' } }] } }),
  says('plain JSON that calls itself a stream', {
    body: JSON.stringify({ choices: [{ message: { content: 'Hello there.' }, finish_reason: 'stop' }] }),
  }),
  says('a completion of the old kind (text)', { body: { choices: [{ text: 'Hello there.', finish_reason: 'stop' }] } }),
  says('ping events', {
    body: `event: ping\ndata: {"type":"ping"}\n\n${sse(...hello)}event: ping\ndata: {"type": "ping"}\n\n${sse(stop, '[DONE]')}`,
  }),
  says('comments to keep the connection open (OpenRouter)', {
    body: `: OPENROUTER PROCESSING\n\n${sse(...hello)}: keep-alive\n\n${sse(stop, '[DONE]')}`,
  }),
  says('lines with CRLF', { body: sse(...hello, stop, '[DONE]').replaceAll('\n', '\r\n') }),
  says('events without an empty line between them', { body: sse(...hello, stop, '[DONE]').replaceAll('\n\n', '\n') }),
  says('no space after data:', { body: sse(...hello, stop, '[DONE]').replaceAll('data: ', 'data:') }),
  says('a byte order mark first', { body: `\ufeff${sse(...hello, stop, '[DONE]')}` }),
  says('a last event without a line end', { body: sse(...hello, stop).trimEnd() }),
  says(
    'no choices in the first event (Azure)',
    stream({ choices: [], prompt_filter_results: [] }, ...hello, stop, '[DONE]'),
  ),
  says(
    'choices: null with the usage',
    stream(...hello, stop, { choices: null, usage: { prompt_tokens: 12, completion_tokens: 7 } }, '[DONE]'),
    undefined,
    { tokens: [12, 7] },
  ),
  says(
    'usage without choices',
    stream(...hello, stop, { usage: { prompt_tokens: 12, completion_tokens: 7 } }, '[DONE]'),
    undefined,
    { tokens: [12, 7] },
  ),
  says(
    'another role',
    stream(delta({ role: 'model', content: 'Hello' }), delta({ role: 'tool', content: ' there.' }), stop, '[DONE]'),
  ),
  says(
    'message instead of delta',
    stream({ choices: [{ message: { role: 'assistant', content: 'Hello there.' }, finish_reason: 'stop' }] }, '[DONE]'),
  ),
  says('created and id of other types', stream({ ...hello[0], created: '1', id: 7 }, hello[1]!, stop, '[DONE]')),
  says(
    'content in parts (Mistral)',
    stream(delta({ content: [{ type: 'text', text: 'Hello there.' }] }), stop, '[DONE]'),
  ),
  says(
    'thinking in parts (Magistral)',
    stream(
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
      ...hello,
      stop,
      '[DONE]',
    ),
    undefined,
    { reasoning: 'Hm.' },
  ),
  says(
    'reasoning_content (DeepSeek)',
    stream(delta({ reasoning_content: 'Hm.', content: null }), ...hello, stop, '[DONE]'),
    undefined,
    { reasoning: 'Hm.' },
  ),
  says(
    'reasoning (OpenRouter, Groq)',
    stream(delta({ reasoning: 'Hm.', content: '' }), ...hello, stop, '[DONE]'),
    undefined,
    { reasoning: 'Hm.' },
  ),
  says('thinking (Ollama)', stream(delta({ thinking: 'Hm.' }), ...hello, stop, '[DONE]'), undefined, {
    reasoning: 'Hm.',
  }),
  says('an object keep-alive that nobody knows', stream({ object: 'heartbeat' }, ...hello, stop, '[DONE]')),
  says('<think> in the text', words('<think>Hm.</think>\n\nHello there.'), undefined, { reasoning: 'Hm.' }),
  says('<think> in pieces', words('<th', 'ink>\nH', 'm.</', 'think', '>\nHello', ' there.'), undefined, {
    reasoning: 'Hm.',
  }),
  says('an empty <think>', words('<think>\n\n</think>\n\nHello there.')),
  says(
    '<think> that is talked about',
    words('The mark <think> begins a thought.'),
    'The mark <think> begins a thought.',
  ),
  says('a word like the mark', words('<thin', 'king> is none.'), '<thinking> is none.'),
  [any, '<think> that never ends', [words('<think>Hm.')], { text: '', reasoning: 'Hm.', asked: 1 }],
  [any, 'length', [stream(...hello, delta({}, 'length'), '[DONE]')], { text: 'Hello there.', notices: ['answer_cut'] }],
  [any, 'content_filter', [stream(delta({}, 'content_filter'), '[DONE]')], { text: '', notices: ['answer_filtered'] }],
  [
    any,
    'a refusal',
    [stream(delta({ refusal: 'I cannot.' }), stop, '[DONE]')],
    { text: 'I cannot.', notices: ['answer_filtered'] },
  ],
  [
    any,
    'eos and other reasons to end (Mistral, TGI)',
    [stream(...hello, delta({}, 'eos'), '[DONE]')],
    { text: 'Hello there.' },
  ],
  [any, 'nothing said', [stream(stop, '[DONE]')], { text: '', notices: ['empty_answer'] }],
  [
    any,
    'finish_reason: error with the error in the choice (OpenRouter)',
    [
      stream({
        choices: [
          { index: 0, delta: { content: '' }, finish_reason: 'error', error: { code: 400, message: 'no such luck' } },
        ],
      }),
    ],
    fails('engine_refused', 'no such luck'),
  ],
  [
    any,
    '200 with an error document',
    [{ body: error('the upstream is gone', { code: 400 }) }],
    fails('engine_refused', 'the upstream is gone'),
  ],
  [
    any,
    '200 with {detail}',
    [{ body: { detail: 'not here' } }],
    { notices: ['engine_again'], said: 'not here', asked: 2 },
  ],
  [
    any,
    'an error as text in the stream (Ollama)',
    [stream(...hello, { error: 'model runner has unexpectedly stopped' })],
    { code: 'engine_error', text: 'Hello there.', said: /unexpectedly/ },
  ],
  [
    any,
    'an error line in the stream (llama.cpp)',
    [{ body: 'error: {"code":400,"message":"Failed to parse grammar","type":"invalid_request_error"}\n\n' }],
    fails('engine_refused', /grammar/),
  ],
  [
    any,
    'an error without error around it (vLLM, Mistral)',
    [stream({ object: 'error', message: 'Invalid tool', type: 'BadRequestError', code: 400 })],
    fails('engine_refused', 'Invalid tool'),
  ],
  [
    'anthropic',
    'ping events',
    [
      stream(
        anthropicStart,
        { type: 'ping' },
        ...anthropicBlock(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi.' }),
        { type: 'ping' },
        ...anthropicEnd('end_turn'),
      ),
    ],
    { text: 'Hi.', tokens: [12, 7] },
  ],
  [
    'anthropic',
    'max_tokens',
    [
      stream(
        anthropicStart,
        ...anthropicBlock(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' }),
        ...anthropicEnd('max_tokens'),
      ),
    ],
    { text: 'Hi', notices: ['answer_cut'] },
  ],
  [
    'anthropic',
    'refusal',
    [stream(anthropicStart, ...anthropicEnd('refusal'))],
    { text: '', notices: ['answer_filtered'] },
  ],
  [
    'anthropic',
    'an event of a kind that nobody knows',
    [
      stream(
        anthropicStart,
        { type: 'novelty', index: 0 },
        ...anthropicBlock(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi.' }),
        ...anthropicEnd('end_turn'),
      ),
    ],
    { text: 'Hi.' },
  ],
  ['google', 'SAFETY', [stream(candidate([], { finishReason: 'SAFETY' }))], { text: '', notices: ['answer_filtered'] }],
  [
    'google',
    'a prompt that is blocked',
    [stream({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } })],
    { text: '', notices: ['answer_filtered'] },
  ],
  [
    'google',
    'RECITATION in the middle',
    [stream(candidate([{ text: 'Once' }]), candidate([], { finishReason: 'RECITATION' }))],
    { text: 'Once', notices: ['answer_filtered'] },
  ],
  [
    'google',
    'MAX_TOKENS',
    [stream(candidate([{ text: 'Once' }], { finishReason: 'MAX_TOKENS' }))],
    { text: 'Once', notices: ['answer_cut'] },
  ],
]

describe.each(databases)('how servers answer, on $name', (database) => {
  let stage: ScenarioStage
  beforeAll(async () => {
    stage = await openScenarios(database, { builtins: [probe] })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test.each(lines(ANSWERS))('%s · %s', async (_wire, _does, number, scenario) => {
    const { found, wanted } = await stage.run(number, scenario)
    expect(found).toEqual(wanted)
  })
})
