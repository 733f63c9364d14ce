import { describe, expect, it } from 'vitest'
import { ask, callsOf, failureOf, textOf } from './stage/ai-steps.ts'
import { continued, dig, expectAnswer, wire, type Answer, type Events } from './stage/servers/provider-wire.ts'

describe('anthropic', () => {
  const start = {
    type: 'message_start',
    message: {
      type: 'message',
      id: 'm',
      role: 'assistant',
      model: 'claude',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 12, output_tokens: 1 },
    },
  }
  const block = (index: number, content_block: object, ...deltas: object[]): Events => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
  const end = (stop_reason: string): Events => [
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ]
  const answer: Events = [
    start,
    ...block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'Hm.' },
      { type: 'signature_delta', signature: 'signed' },
    ),
    ...block(
      1,
      { type: 'text', text: '' },
      { type: 'text_delta', text: 'Let me ' },
      { type: 'text_delta', text: 'look.' },
    ),
    ...block(
      2,
      { type: 'tool_use', id: 'toolu_1', name: 'system__processes', input: {} },
      { type: 'input_json_delta', partial_json: '{"lim' },
      { type: 'input_json_delta', partial_json: 'it":5}' },
    ),
    ...end('tool_use'),
  ]

  it('gives reasoning, text and a call, and hands the signature back', async () => {
    await using at = await wire('anthropic', answer, [
      start,
      ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'init' }),
      ...end('end_turn'),
    ])
    const chunks = await ask(at.engine)
    expectAnswer(chunks, 'toolu_1')
    expect(textOf(await ask(at.engine, { messages: continued(chunks) }))).toBe('init')
    const [first, second] = at.requests
    expect([first!.path, first!.headers['x-api-key']]).toEqual(['/v1/messages', 'key-of-the-test'])
    expect(dig(first!.body, 'tools', 0)).toMatchObject({ name: 'system__processes', input_schema: { type: 'object' } })
    expect(dig(second!.body, 'messages', 1, 'content')).toMatchObject([
      { type: 'thinking', thinking: 'Hm.', signature: 'signed' },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'system__processes', input: { limit: 5 } },
    ])
    expect(dig(second!.body, 'messages', 2, 'content')).toMatchObject([
      { type: 'tool_result', tool_use_id: 'toolu_1', content: 'init' },
    ])
  })

  it('hands a redacted thought back', async () => {
    await using at = await wire(
      'anthropic',
      [start, ...block(0, { type: 'redacted_thinking', data: 'sealed' }), ...answer.slice(5)],
      answer,
    )
    await ask(at.engine, { messages: continued(await ask(at.engine)) })
    expect(dig(at.requests[1]!.body, 'messages', 1, 'content', 0)).toEqual({
      type: 'redacted_thinking',
      data: 'sealed',
    })
  })

  const error = (type: string, message: string) => ({ type: 'error', error: { type, message } })
  it.each<[string, Answer, object]>([
    [
      '429',
      { status: 429, headers: { 'retry-after': '20' }, body: error('rate_limit_error', 'slow') },
      { code: 'engine_rate', retryAfter: 20 },
    ],
    ['529', { status: 529, body: error('overloaded_error', 'Overloaded') }, { code: 'engine_rate' }],
    [
      '401',
      { status: 401, body: error('authentication_error', 'invalid x-api-key') },
      { code: 'engine_key', message: expect.stringContaining('key') },
    ],
    [
      'too long',
      { status: 400, body: error('invalid_request_error', 'prompt is too long: 215000 tokens > 200000 maximum') },
      { code: 'engine_context' },
    ],
    [
      'too large',
      { status: 413, body: error('request_too_large', 'Request exceeds the maximum size') },
      { code: 'engine_context' },
    ],
    [
      'another 400',
      { status: 400, body: error('invalid_request_error', 'messages: at least one message is required') },
      { code: 'engine_refused' },
    ],
    [
      'no credit',
      { status: 400, body: error('invalid_request_error', 'Your credit balance is too low') },
      { code: 'engine_quota' },
    ],
    ['overloaded after 200', [error('overloaded_error', 'Overloaded')], { code: 'engine_rate' }],
    [
      'overloaded in the middle',
      [...answer.slice(0, 4), error('overloaded_error', 'Overloaded')],
      { code: 'engine_rate' },
    ],
    ['limited in the middle', [...answer.slice(0, 4), error('rate_limit_error', 'slow')], { code: 'engine_rate' }],
    ['cut in the middle', answer.slice(0, -4), { code: 'engine_cut' }],
    ['cut before the end', answer.slice(0, -2), { code: 'engine_cut' }],
    ['empty', [], { code: 'engine_answer' }],
  ])('%s', async (_name, given, expected) => {
    await using at = await wire('anthropic', given)
    const { error: failure, chunks } = await failureOf(at.engine)
    expect(failure).toMatchObject(expected)
    expect(callsOf(chunks)).toEqual([])
  })
})
