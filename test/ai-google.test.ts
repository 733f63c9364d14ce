import { describe, expect, it } from 'vitest'
import { ask, failureOf, textOf } from './stage/ai-steps.ts'
import { continued, dig, expectAnswer, wire, type Answer, type Events } from './stage/servers/provider-wire.ts'

describe('google', () => {
  const parts = (list: object[], more: object = {}): Events[number] => ({
    candidates: [{ content: { role: 'model', parts: list }, index: 0, ...more }],
  })
  const answer: Events = [
    parts([{ text: 'Hm.', thought: true, thoughtSignature: 'of-thought' }]),
    parts([{ text: 'Let me ' }]),
    parts([{ text: 'look.' }]),
    {
      ...parts([{ functionCall: { name: 'system__processes', args: { limit: 5 } }, thoughtSignature: 'of-call' }], {
        finishReason: 'STOP',
      }),
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 7, totalTokenCount: 19 },
    },
  ]

  it('gives reasoning, text and a call, and hands the signatures back', async () => {
    await using at = await wire('google', answer, [parts([{ text: 'init' }], { finishReason: 'STOP' })])
    const chunks = await ask(at.engine)
    expectAnswer(chunks, null)
    expect(textOf(await ask(at.engine, { messages: continued(chunks) }))).toBe('init')
    const [first, second] = at.requests
    expect(first!.path).toBe('/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse')
    expect(first!.headers['x-goog-api-key']).toBe('key-of-the-test')
    expect(JSON.stringify(dig(first!.body, 'tools'))).not.toContain('$schema')
    expect(dig(second!.body, 'contents', 1)).toMatchObject({
      role: 'model',
      parts: [
        { text: 'Hm.', thought: true, thoughtSignature: 'of-thought' },
        { text: 'Let me look.' },
        { functionCall: { name: 'system__processes', args: { limit: 5 } }, thoughtSignature: 'of-call' },
      ],
    })
    expect(dig(second!.body, 'contents', 2, 'parts', 0, 'functionResponse')).toMatchObject({
      name: 'system__processes',
    })
  })

  const error = (code: number, status: string, message: string) => ({ error: { code, status, message } })
  it.each<[string, Answer, object]>([
    [
      '429',
      { status: 429, body: error(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted') },
      { code: 'engine_rate' },
    ],
    ['key', { status: 403, body: error(403, 'PERMISSION_DENIED', 'no') }, { code: 'engine_key' }],
    [
      'bad key',
      { status: 400, body: error(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.') },
      { code: 'engine_key', message: expect.stringContaining('refused the API key') },
    ],
    [
      'too long',
      {
        status: 400,
        body: error(
          400,
          'INVALID_ARGUMENT',
          'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        ),
      },
      { code: 'engine_context' },
    ],
    ['another 400', { status: 400, body: error(400, 'INVALID_ARGUMENT', 'bad schema') }, { code: 'engine_refused' }],
    ['503 in the middle', [...answer.slice(0, 2), error(503, 'UNAVAILABLE', 'overloaded')], { code: 'engine_error' }],
    ['cut', answer.slice(0, 3), { code: 'engine_cut' }],
    ['empty', [], { code: 'engine_answer' }],
  ])('%s', async (_name, given, expected) => {
    await using at = await wire('google', given)
    expect((await failureOf(at.engine)).error).toMatchObject(expected)
  })
})
