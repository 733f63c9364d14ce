import { McpServer, Server } from '@modelcontextprotocol/server'
import { afterEach, describe, expect, test } from 'vitest'
import { RESULT_TEXT_LIMIT, TABLE_ROW_LIMIT } from '../server/chat/ports/tools.ts'
import { z } from 'zod'
import { registerTool, tool } from '../builtin/tool.ts'
import type { BuiltinModule } from '../server/modules/spec/builtin-module.ts'
import { builtinSpec } from '../server/modules/spec/builtin-spec.ts'
import { call, closeHosts, hostile, READ, run, says, start, type Definition } from './stage/modules/hostile-module.ts'
import { saying } from './stage/saying.ts'

afterEach(closeHosts)

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve())
  })
}
const never = () => new Promise<never>(() => undefined)

describe('results', () => {
  const answer = async (result: unknown, definition: Partial<Definition> = {}) => {
    const { host } = await start([hostile([{ name: 'a', annotations: READ, ...definition }], () => result)])
    return await call(host, 'a')
  }
  test('text is joined, an error is a failed result, nothing is said to be nothing', async () => {
    expect(await answer({ content: [...says('one').content, ...says('two').content] })).toEqual({
      status: 'done',
      text: 'one\n\ntwo',
      tables: [],
      files: [],
    })
    expect(await answer({ ...says('no'), isError: true })).toEqual({
      status: 'failed',
      text: 'no',
      tables: [],
      files: [],
    })
    expect((await answer({ content: [] })).text).toBe('The tool ended and returned nothing.')
  })
  test('structured content with tables becomes tables, and text for the model', async () => {
    const table = {
      title: 'T',
      columns: [
        { key: 'a', label: 'A', type: 'bytes' },
        { key: 'b', type: 'weird' },
      ],
      rows: [{ a: 1, b: { c: 2 } }, { b: 'x\ty' }],
    }
    const result = await answer({ ...says('Two.'), structuredContent: { tables: [table] } })
    expect(result.tables).toEqual([
      {
        title: 'T',
        columns: [
          { key: 'a', label: 'A', type: 'bytes' },
          { key: 'b', label: 'b', type: 'text' },
        ],
        rows: [
          { a: 1, b: '{"c":2}' },
          { a: null, b: 'x\ty' },
        ],
        total_rows: 2,
      },
    ])
    expect(result.text).toBe('Two.\n\nT\nA\tb\n1\t{"c":2}\n\tx y')
    expect(
      (await answer({ content: [{ type: 'text', text: JSON.stringify(table) }], structuredContent: table })).text,
    ).toMatch(/^T\nA\tb/)
  })
  test('a large table is cut, and says so', async () => {
    const columns = Array.from({ length: 100 }, (_, i) => ({ key: `k${i}` }))
    const rows = Array.from({ length: 3000 }, () => ({ k0: 'x'.repeat(600), k1: 'z' }))
    const result = await answer({ content: [], structuredContent: { columns, rows } })
    expect(result.tables[0]).toMatchObject({ total_rows: 3000 })
    expect([result.tables[0]?.columns.length, result.tables[0]?.rows.length]).toEqual([60, TABLE_ROW_LIMIT])
    expect(result.text).toMatch(/more rows; the person sees 1000 of 3000/)
    expect(result.text.length).toBeLessThanOrEqual(RESULT_TEXT_LIMIT)
  })
  test('long text is cut with a last line that says so; 10 MB is refused', async () => {
    const { text } = await answer(says('€'.repeat(60_000)))
    expect(text.length).toBeLessThanOrEqual(RESULT_TEXT_LIMIT)
    expect(text.split('\n').at(-1)).toContain('60000 characters')
    expect(await answer(says('x'.repeat(10 * 1024 * 1024)))).toEqual({
      status: 'failed',
      text: "The module's answer is too large: more than 8 MB.",
      tables: [],
      files: [],
    })
  })
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a number', 7],
    ['content that is no list', { content: 'hello' }],
    ['content of an unknown kind', { content: [{ type: 'hologram' }] }],
  ])('a result of a wrong shape is a failed result: %s', async (_what, result) => {
    expect(await answer(result)).toMatchObject({ status: 'failed', tables: [] })
  })
  test('structured content that breaks the declared output schema is a failed result', async () => {
    const outputSchema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }
    expect(await answer({ content: [], structuredContent: { n: 'x' } }, { outputSchema })).toMatchObject({
      status: 'failed',
      text: expect.stringContaining('"n" must be integer'),
    })
  })
  test('a handler that throws is a failed result with its words, and the next call works', async () => {
    const { host } = await start([
      hostile([{ name: 'a' }, { name: 'b' }], (name) =>
        name === 'b' ? says('fine') : Promise.reject(new Error('boom\u202e')),
      ),
    ])
    expect(await call(host, 'a')).toMatchObject({ status: 'failed', text: expect.stringContaining('boom\\u{202e}') })
    expect(await call(host, 'b')).toMatchObject({ status: 'done', text: 'fine' })
  })
})

describe('calls that do not come back', () => {
  const tools = [
    { name: 'reads', annotations: READ },
    { name: 'writes', annotations: { readOnlyHint: false, destructiveHint: false } },
    { name: 'unsaid' },
  ]
  test.each([
    ['reads', 'cancelled'],
    ['writes', 'unknown'],
    ['unsaid', 'unknown'],
  ])('%s, cancelled: %s', async (name, status) => {
    const entered = Promise.withResolvers<AbortSignal>()
    const { host } = await start([hostile(tools, (_name, _args, signal) => (entered.resolve(signal), never()))])
    const abort = new AbortController()
    const result = call(host, name, {}, abort.signal)
    const theirs = await entered.promise
    const told = aborted(theirs)
    abort.abort()
    await told
    expect(await result).toMatchObject({ status })
  })
  test.each([
    ['reads', 'failed'],
    ['unsaid', 'unknown'],
  ])('%s, past its deadline: %s', async (name, status) => {
    const { host } = await start([hostile(tools, never)], 50)
    expect(await call(host, name)).toMatchObject({ status, text: expect.stringContaining('did not end within 1 s') })
  })
  test('cancelled before it began: never called', async () => {
    let calls = 0
    const { host } = await start([hostile(tools, () => (calls++, says('')))])
    expect(await call(host, 'unsaid', {}, AbortSignal.abort())).toMatchObject({ status: 'cancelled' })
    expect(calls).toBe(0)
  })
  test('a module that goes away in the middle of a call', async () => {
    let server: { close(): Promise<void> } | undefined
    const entered = Promise.withResolvers<void>()
    const inner = hostile(tools, () => (entered.resolve(), never()))
    const builtin: BuiltinModule = {
      ...inner,
      createServer: async () => (server = await inner.createServer({})),
    }
    const { host } = await start([builtin])
    const results = [call(host, 'reads'), call(host, 'writes')]
    await entered.promise
    await server?.close()
    expect(await Promise.all(results)).toMatchObject([{ status: 'failed' }, { status: 'unknown' }])
    expect(host.runtime('hostile')).toMatchObject({ state: 'retrying', problem: saying('It closed the connection.') })
    expect(host.list()).toEqual([])
  })
  test('closing the host ends what runs', async () => {
    const entered = Promise.withResolvers<void>()
    const { host } = await start([hostile(tools, () => (entered.resolve(), never()))])
    const result = call(host, 'reads')
    await entered.promise
    await host[Symbol.asyncDispose]()
    expect(await result).toMatchObject({ status: 'cancelled' })
    expect(await call(host, 'reads')).toMatchObject({ status: 'failed' })
  })
})

test('progress comes at most five times a second, the first at once and never after the end', async () => {
  const seen: { text: string; at: number }[] = []
  const builtin = hostile([], () => undefined)
  const chatty: BuiltinModule = {
    ...builtin,
    createServer: () => {
      const server = new Server({ name: 'x', version: '1' }, { capabilities: { tools: {} } })
      server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] }))
      server.setRequestHandler('tools/call', async (request, { mcpReq }) => {
        const progressToken = request.params._meta?.progressToken ?? 0
        for (let progress = 1; seen.length < 3; progress++) {
          await mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, message: `step ${progress}` },
          })
          await new Promise((resolve) => setImmediate(resolve))
        }
        return says('done')
      })
      return Promise.resolve(server as never)
    },
  }
  const { host } = await start([chatty])
  const from = performance.now()
  await call(host, 'a', {}, undefined, (text) => seen.push({ text, at: performance.now() - from }))
  expect(seen).toHaveLength(3)
  expect(seen[0]?.text).toBe('step 1')
  expect(seen[2]?.at).toBeGreaterThan(380)
})

test('a built-in is told whose call it is, and its files become files of the run', async () => {
  const seen: unknown[] = []
  const builtin: BuiltinModule = {
    manifest: { name: 'hostile', display_name: 'H', version: '1.0.0', description: '' },
    reach: 'own',
    createServer(settings) {
      const server = new McpServer({ name: 'h', version: '1' })
      registerTool(
        server,
        tool({
          name: 'a',
          title: 'A',
          description: 'A',
          effect: 'read',
          input: z.object({}),
          run: (_input, { user_id, run_id, conversation_id }) => {
            seen.push({ user_id, run_id, conversation_id, settings })
            const files = [{ name: 'möhre.txt', media_type: 'text/plain', data: Buffer.from('orange') }]
            return Promise.resolve({ text: 'ok', files })
          },
        }),
      )
      return Promise.resolve(server)
    },
  }
  const { host } = await run([builtinSpec(builtin, { depth: 3 })])
  const result = await call(host, 'a')
  expect(result.files.map(({ name, data }) => [name, Buffer.from(data).toString()])).toEqual([['möhre.txt', 'orange']])
  expect(seen).toEqual([
    { user_id: 'usr_test', run_id: 'run_test', conversation_id: 'cnv_test', settings: { depth: 3 } },
  ])
})
