import { describe, expect, it } from 'vitest'
import { ask, callsOf, failureOf } from './stage/ai-steps.ts'
import { continued, dig, expectAnswer, wire, type Answer, type Events } from './stage/servers/provider-wire.ts'

describe('openai', () => {
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'system__processes' }
  const answer: Events = [
    { type: 'response.created', response: { id: 'resp_1', created_at: 0, model: 'gpt-5', service_tier: null } },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'reasoning', id: 'rs_1', encrypted_content: null },
    },
    { type: 'response.reasoning_summary_part.added', item_id: 'rs_1', summary_index: 0 },
    { type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', summary_index: 0, delta: 'Hm.' },
    { type: 'response.reasoning_summary_part.done', item_id: 'rs_1', summary_index: 0 },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'reasoning', id: 'rs_1', encrypted_content: 'sealed' },
    },
    { type: 'response.output_item.added', output_index: 1, item: { type: 'message', id: 'msg_1' } },
    { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 1, content_index: 0, delta: 'Let me ' },
    { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 1, content_index: 0, delta: 'look.' },
    { type: 'response.output_item.done', output_index: 1, item: { type: 'message', id: 'msg_1' } },
    { type: 'response.output_item.added', output_index: 2, item: { ...call, arguments: '' } },
    { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 2, delta: '{"limit":5}' },
    {
      type: 'response.output_item.done',
      output_index: 2,
      item: { ...call, arguments: '{"limit":5}', status: 'completed' },
    },
    {
      type: 'response.completed',
      response: { incomplete_details: null, usage: { input_tokens: 12, output_tokens: 7 }, service_tier: null },
    },
  ]

  it('gives reasoning, text and a call, leaves nothing there, and hands the encrypted reasoning back', async () => {
    await using at = await wire('openai', answer, [...answer.slice(0, 1), ...answer.slice(6, 10), answer.at(-1)!])
    const chunks = await ask(at.engine)
    expectAnswer(chunks, 'call_1')
    expect((await ask(at.engine, { messages: continued(chunks) })).at(-1)).toMatchObject({
      type: 'finish',
      reason: 'stop',
    })
    const [first, second] = at.requests
    expect([first!.path, first!.headers.authorization]).toEqual(['/v1/responses', 'Bearer key-of-the-test'])
    expect(first!.body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'], stream: true })
    expect(dig(first!.body, 'tools', 0)).toMatchObject({ type: 'function', name: 'system__processes', strict: false })
    expect(dig(second!.body, 'input')).toMatchObject([
      { role: 'developer' },
      { role: 'user' },
      { type: 'reasoning', encrypted_content: 'sealed', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { role: 'assistant', content: 'Let me look.' },
      { type: 'function_call', call_id: 'call_1', name: 'system__processes', arguments: '{"limit":5}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'init' },
    ])
  })

  const failed = (code: string, message: string) => ({
    type: 'response.failed',
    response: { error: { code, message }, incomplete_details: null, usage: null },
  })
  it.each<[string, Answer, object]>([
    [
      '429',
      {
        status: 429,
        headers: { 'retry-after-ms': '800' },
        body: { error: { message: 'slow', type: 'requests', code: 'rate_limit_exceeded' } },
      },
      { code: 'engine_rate', retryAfter: 1 },
    ],
    [
      'too long',
      {
        status: 400,
        body: {
          error: {
            message: 'Your input exceeds the context window of this model.',
            type: 'invalid_request_error',
            code: 'context_length_exceeded',
          },
        },
      },
      { code: 'engine_context' },
    ],
    [
      'no key',
      {
        status: 401,
        body: { error: { message: 'Incorrect API key provided: key-of-***est', code: 'invalid_api_key' } },
      },
      { code: 'engine_key' },
    ],
    [
      'limited in the middle',
      [...answer.slice(0, 8), failed('rate_limit_exceeded', 'Rate limit reached')],
      { code: 'engine_rate' },
    ],
    [
      'failed in the middle',
      [...answer.slice(0, 8), failed('server_error', 'Something went wrong')],
      { code: 'engine_error' },
    ],
    [
      'too long in the middle',
      [
        ...answer.slice(0, 1),
        {
          type: 'error',
          sequence_number: 1,
          error: {
            type: 'invalid_request_error',
            code: 'context_length_exceeded',
            message: 'Your input exceeds the context window',
            param: 'input',
          },
        },
      ],
      { code: 'engine_context' },
    ],
    ['cut in the middle', answer.slice(0, 8), { code: 'engine_cut' }],
    ['cut after a call', answer.slice(0, -1), { code: 'engine_cut' }],
    ['empty', [], { code: 'engine_answer' }],
  ])('%s', async (_name, given, expected) => {
    await using at = await wire('openai', given)
    const { error: failure, chunks } = await failureOf(at.engine)
    expect(failure).toMatchObject(expected)
    expect(callsOf(chunks)).toEqual([])
  })
})
