import { describe, expect, it, vi } from 'vitest'
import type { PromptMessage } from '../server/chat/ports/model.ts'
import { ask, callsOf, config, engineFor, failureOf, PROCESSES, scripted, user } from './stage/ai-steps.ts'
import { gate } from './stage/servers/scripted-model.ts'

describe('a step through an OpenAI-compatible endpoint', () => {
  it('streams text as it arrives and ends with the tokens used', async () => {
    const half = gate()
    await using at = await scripted([
      [{ text: 'Hel' }, { wait: half }, { text: 'lo' }, { usage: { prompt_tokens: 12, completion_tokens: 3 } }],
    ])
    // The gate opens only when the first text is here: buffered output would hang.
    const chunks = await ask(at.engine, { onChunk: (chunk) => chunk.type === 'text' && half.open() })
    expect(chunks).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'finish', reason: 'stop', input_tokens: 12, output_tokens: 3 },
    ])
    expect(at.model.requests[0]!.headers.authorization).toBe('Bearer key-of-the-test')
  })

  it('sends system, pictures, calls and results, and tools without dialect keywords', async () => {
    await using at = await scripted([[{ text: 'ok' }]])
    const picture = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const messages: PromptMessage[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', media_type: 'image/png', data: picture },
        ],
      },
      {
        role: 'assistant',
        text: '',
        reasoning: [],
        calls: [
          { call_id: 'a', name: 'system.processes', input: { limit: 1 }, provider: null },
          { call_id: 'b', name: 'gone.tool', input: null, provider: null },
        ],
      },
      {
        role: 'tool',
        results: [
          { call_id: 'a', name: 'system.processes', output: 'init', failed: false, tables: 0 },
          { call_id: 'x', name: 'y.z', output: 'stray', failed: true, tables: 0 },
        ],
      },
      user('And now?'),
    ]
    await ask(at.engine, { messages })
    const { messages: sent, tools } = at.model.requests[0]!
    expect(sent.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'user'])
    expect(sent[1]!.content).toEqual([
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${picture.toString('base64')}` } },
    ])
    expect(sent[2]!.tool_calls!.map((call) => call.function)).toEqual([
      { name: 'system__processes', arguments: '{"limit":1}' },
      { name: 'gone__tool', arguments: '{}' },
    ])
    const [first, second] = sent[2]!.tool_calls!.map(({ id }) => id)
    expect(first).not.toBe(second)
    // The call without a result gets one, the result without a call is left out: providers refuse both.
    expect(sent.slice(3, 5).map((message) => [message.tool_call_id, message.content])).toEqual([
      [first, 'init'],
      [second, 'No result: the call was interrupted.'],
    ])
    expect(tools).toEqual([
      {
        ...PROCESSES,
        name: 'system__processes',
        input_schema: undefined,
        parameters: { ...PROCESSES.input_schema, $schema: undefined },
      },
    ])
  })

  it('gives parallel calls with arguments in pieces, under their own names', async () => {
    const long = { ...PROCESSES, name: `module-with-a-very-long-name.${'tool_'.repeat(12)}` }
    await using at = await scripted((request) => [
      {
        calls: [
          { id: 'one', name: 'system.processes', arguments: { sort: 'memory', limit: 5 }, pieces: 5 },
          { id: 'two', name: request.tools[1]!.name, arguments: {} },
        ],
      },
    ])
    const chunks = await ask(at.engine, { tools: [PROCESSES, long] })
    expect(chunks).toEqual([
      expect.objectContaining({
        type: 'call',
        call_id: 'one',
        name: 'system.processes',
        input: { sort: 'memory', limit: 5 },
        malformed: null,
      }),
      expect.objectContaining({ type: 'call', call_id: 'two', name: long.name, input: {} }),
      expect.objectContaining({ type: 'finish', reason: 'calls' }),
    ])
    for (const tool of at.model.requests[0]!.tools) expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  })

  it.each([
    ['cut off', '{"limit": 5', '{"limit": 5'],
    ['no object', '[1,2]', '[1,2]'],
    ['a string', '"five"', 'five'],
    ['an attempt on the prototype', '{"__proto__": {"limit": 1}}', '{"__proto__": {"limit": 1}}'],
  ])('gives malformed arguments (%s) as a call without input', async (_name, sent, malformed) => {
    await using at = await scripted([[{ calls: [{ name: 'system.processes', arguments: sent }] }]])
    expect(callsOf(await ask(at.engine))).toEqual([
      expect.objectContaining({ name: 'system.processes', input: null, malformed }),
    ])
  })

  it('takes missing arguments as none, and leaves invented names as they are', async () => {
    await using at = await scripted([
      [
        {
          calls: [
            { name: 'system.processes', arguments: '' },
            { name: 'delete_everything', arguments: { now: true } },
            { name: 'bad', arguments: '{' },
          ],
        },
      ],
    ])
    expect(callsOf(await ask(at.engine)).map(({ name, input, malformed }) => [name, input, malformed])).toEqual([
      ['system.processes', {}, null],
      ['delete_everything', { now: true }, null],
      ['bad', null, '{'],
    ])
  })

  it('hands reasoning back within the turn, to the same model only', async () => {
    await using at = await scripted([
      [
        { reasoning: 'Hm.' },
        { text: 'Let me look.' },
        { calls: [{ id: 'c', name: 'system.processes', arguments: {} }] },
      ],
      [{ text: 'ok' }],
      [{ text: 'ok' }],
      [{ text: 'ok' }],
    ])
    const chunks = await ask(at.engine)
    expect(chunks.slice(0, 3)).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'reasoning_end', provider: expect.anything() },
      { type: 'text', text: 'Let me look.' },
    ])
    // As a run stores it: through JSON.
    const provider: unknown = JSON.parse(
      JSON.stringify(chunks[1]!.type === 'reasoning_end' ? chunks[1]!.provider : null),
    )
    const turn: PromptMessage[] = [
      user('Hello'),
      {
        role: 'assistant',
        text: 'Let me look.',
        reasoning: [{ text: 'Hm.', provider }],
        calls: [{ call_id: 'c', name: 'system.processes', input: {}, provider: null }],
      },
      { role: 'tool', results: [{ call_id: 'c', name: 'system.processes', output: 'init', failed: false, tables: 0 }] },
    ]
    await ask(at.engine, { messages: turn })
    await ask(at.engine, { messages: [...turn, user('Next question')] })
    await ask(engineFor(config({ base_url: at.model.url, model: 'another' })), { messages: turn })
    expect(at.model.requests.slice(1).map((request) => request.messages[2]!.reasoning_content)).toEqual([
      'Hm.',
      undefined,
      undefined,
    ])
  })

  it.each([
    ['length', 'length'],
    ['content_filter', 'filtered'],
    ['stop', 'stop'],
    ['made_up', 'other'],
  ])('says that %s means %s', async (sent, reason) => {
    await using at = await scripted([[{ text: 'x' }, { finish: sent }]])
    expect((await ask(at.engine)).at(-1)).toMatchObject({ type: 'finish', reason })
  })

  it('sees calls of a server that finishes them with stop', async () => {
    await using at = await scripted([[{ calls: [{ name: 'system.processes', arguments: {} }] }, { finish: 'stop' }]])
    expect((await ask(at.engine)).at(-1)).toMatchObject({ type: 'finish', reason: 'calls' })
  })

  it('closes the upstream request when it is cancelled, whenever that is', async () => {
    const middle = gate()
    await using at = await scripted([[{ hang: true }], [{ text: 'Hel' }, { wait: middle }]])
    for (const index of [0, 1]) {
      const stop = new AbortController()
      const step = ask(at.engine, { signal: stop.signal })
      const request = await at.model.request(index)
      if (index === 1) await middle.reached
      stop.abort()
      await expect(step).rejects.toMatchObject({ name: 'AbortError' })
      await request.closed
      expect(request.outcome).toBe('aborted')
    }
    await expect(ask(at.engine, { signal: AbortSignal.abort('any reason') })).rejects.toMatchObject({
      name: 'AbortError',
    })
    expect(at.model.requests).toHaveLength(2)
  })

  it('closes the upstream request when its reader stops reading', async () => {
    await using at = await scripted([[{ text: 'Hel' }, { hang: true }]])
    for await (const _chunk of at.engine.step(
      { system: '', messages: [user('Hi')], tools: [], language: 'en' },
      new AbortController().signal,
    ))
      break
    await at.model.requests[0]!.closed
    expect(at.model.open).toBe(0)
  })

  it('leaves no listeners behind on the signal of a long run', async () => {
    const warnings = vi.spyOn(process, 'emitWarning')
    await using at = await scripted(() => [{ text: 'ok' }])
    const { signal } = new AbortController()
    for (let step = 0; step < 30; step++) await ask(at.engine, { signal })
    expect(warnings).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })

  it('prints nothing and never retries', async () => {
    const printed = (['log', 'warn', 'error', 'info'] as const).map((method) => vi.spyOn(console, method))
    const warnings = vi.spyOn(process, 'emitWarning')
    await using at = await scripted([
      [{ status: 500, body: 'oops' }],
      [{ text: 'a' }, { cut: true }],
      [{ calls: [{ name: 'what', arguments: '{' }] }],
    ])
    await failureOf(at.engine)
    await failureOf(at.engine)
    await ask(at.engine)
    expect(at.model.requests).toHaveLength(3)
    for (const spy of [...printed, warnings]) expect(spy).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })
})
