import { afterEach, describe, expect, test } from 'vitest'
import type { BuiltinModule } from '../server/modules/spec/builtin-module.ts'
import { builtinSpec } from '../server/modules/spec/builtin-spec.ts'
import { call, closeHosts, hostile, READ, run, says, start, type Definition } from './stage/modules/hostile-module.ts'
import { saying } from './stage/saying.ts'

afterEach(closeHosts)

describe('what a module lists', () => {
  test('nothing is loaded before apply(), and a failing module does not hold the others', async () => {
    let made = 0
    const good = hostile([{ name: 'good' }], () => says('fine'), 'good')
    const counted: BuiltinModule = { ...good, createServer: () => (made++, good.createServer({})) }
    const broken: BuiltinModule = {
      ...hostile([], () => says('')),
      createServer: () => Promise.reject(new Error('It will not start.')),
    }
    const { host } = await run([])
    expect([made, host.list().length]).toEqual([0, 0])
    host.apply([broken, counted].map((builtin) => builtinSpec(builtin, {})))
    await Promise.all([host.ready(), host.ready()])
    expect([made, host.list().map((tool) => tool.name)]).toEqual([1, ['good']])
    expect(host.runtime('hostile')).toMatchObject({ state: 'retrying', problem: saying(/^It will not start\.$/) })
    expect(host.runtime('good')).toMatchObject({ state: 'running', tools: [{ name: 'good', pin: 'agreed' }] })
    await expect(host.started('hostile')).rejects.toThrow('It will not start.')
    await expect(host.started('nobody')).rejects.toThrow('No module named “nobody”')
  })
  test('effects come from the annotations, and say nothing where they say nothing', async () => {
    const annotations = {
      r: READ,
      w: { readOnlyHint: false, destructiveHint: false },
      d: { readOnlyHint: false },
      u: { title: 'x' },
      n: undefined,
    }
    const { host } = await start([
      hostile(
        Object.entries(annotations).map(([name, value]) => ({ name, annotations: value })),
        () => says(''),
      ),
    ])
    expect(Object.fromEntries(host.list().map((tool) => [tool.name, tool.effect]))).toEqual({
      r: 'read',
      w: 'write',
      d: 'destructive',
      u: 'unknown',
      n: 'unknown',
    })
  })
  test('the definition hash changes with every part of the definition and with nothing else', async () => {
    const base = {
      name: 'a',
      description: 'd',
      inputSchema: { type: 'object', properties: { x: {}, y: {} } },
      annotations: READ,
    }
    const hash = async (definition: Definition) =>
      (await start([hostile([definition], () => says(''))])).host.list()[0]?.definition_hash
    const first = await hash(base)
    expect(
      await hash({
        annotations: READ,
        name: 'a',
        description: 'd',
        inputSchema: { properties: { y: {}, x: {} }, type: 'object' },
      }),
    ).toBe(first)
    const others = await Promise.all(
      [
        { description: 'e' },
        { annotations: {} },
        { inputSchema: { type: 'object' } },
        { outputSchema: { type: 'object' } },
      ].map((change) => hash({ ...base, ...change })),
    )
    expect(new Set([first, ...others]).size).toBe(5)
  })
  test('tools named like members of Object.prototype are tools, and names that are not listed are none', async () => {
    const names = ['__proto__', 'constructor', 'toString']
    const { host } = await start([
      hostile(
        names.map((name) => ({ name })),
        (name) => says(`ran ${name}`),
      ),
    ])
    for (const name of names) expect(await call(host, name)).toMatchObject({ status: 'done', text: `ran ${name}` })
    expect(host.find('hostile', 'valueOf')).toBeUndefined()
    expect(host.find('__proto__', 'constructor')).toBeUndefined()
    expect(await call(host, 'hasOwnProperty')).toMatchObject({
      status: 'failed',
      text: expect.stringContaining('not available'),
    })
  })
  const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) })
  test.each<[string, Definition[], string]>([
    ['bad name', [{ name: 'a b' }], 'The tool “a b” is left out: its name is not allowed.'],
    ['the same name twice', [{ name: 'a' }, { name: 'a' }], 'The tool “a” is left out: it is listed twice.'],
    ['too large', [{ name: 'a', description: 'x'.repeat(600_000) }], 'its definition is too large'],
    ['too deep', [{ name: 'a', inputSchema: { type: 'object', x: deep(3000) } }], 'nested too deeply'],
    ['no schema', [{ name: 'a', inputSchema: 7 }], 'its definition is wrong at inputSchema'],
  ])('a tool that is not usable is left out alone: %s', async (_what, tools, problem) => {
    const { host } = await start([hostile([...tools, { name: 'good' }], () => says('fine'))])
    expect(host.list().map((tool) => tool.name)).toEqual(['good'])
    expect(host.runtime('hostile')).toMatchObject({ state: 'degraded', problem: saying(problem) })
    expect(await call(host, 'good')).toMatchObject({ status: 'done' })
  })
  test('a schema without a type is one of an object', async () => {
    const { host } = await start([hostile([{ name: 'a', inputSchema: { properties: {} } }], () => says('fine'))])
    expect(host.runtime('hostile')).toMatchObject({ state: 'running', problem: null })
    expect(host.find('hostile', 'a')?.input_schema).toMatchObject({ type: 'object' })
    expect(await call(host, 'a')).toMatchObject({ status: 'done' })
  })
  test('a large definition is used whole, and its description is cut only for reading', async () => {
    const { host } = await start([hostile([{ name: 'a', description: 'x'.repeat(300_000) }], () => says('fine'))])
    expect(host.runtime('hostile')).toMatchObject({ state: 'running', problem: null })
    expect(host.find('hostile', 'a')?.description.length).toBeLessThanOrEqual(4000)
    expect(await call(host, 'a')).toMatchObject({ status: 'done' })
  })
  test('of too many tools the first 5000 are used, and it says so', async () => {
    const { host } = await start([
      hostile(
        Array.from({ length: 5001 }, (_, i) => ({ name: `t${i}` })),
        () => says(''),
      ),
    ])
    expect(host.list()).toHaveLength(5000)
    expect(host.runtime('hostile')).toMatchObject({
      state: 'degraded',
      problem: saying('It lists more than 5000 tools: the rest are left out.'),
    })
  })
})

describe('arguments', () => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: ['path'],
    properties: {
      path: { type: 'string' },
      list: { type: 'array', items: { type: 'integer' } },
      kind: { enum: ['a', 'b'] },
    },
  }
  test.each([
    [{}, '"path" is missing.'],
    [{ path: 'x', other: 1 }, '"other" is not an argument of this tool.'],
    [{ path: 7 }, '"path" must be string.'],
    [{ path: 'x', list: [1, '2'] }, '"list.1" must be integer.'],
    [{ path: 'x', kind: 'c' }, '"kind" must be one of "a", "b".'],
    [{ path: 'x', list: [1] }, null],
  ])('%j', async (input, problem) => {
    let calls = 0
    const { host } = await start([hostile([{ name: 'a', inputSchema: schema }], () => (calls++, says('ok')))])
    expect(host.find('hostile', 'a')?.check(input)).toBe(problem)
    expect((await call(host, 'a', input)).status).toBe(problem === null ? 'done' : 'failed')
    expect(calls).toBe(problem === null ? 1 : 0)
  })
  test.each([
    [{ type: 'object', properties: { a: { pattern: '(' } } }],
    [{ type: 'object', $ref: 'https://example.org/x.json' }],
  ])('a schema that cannot be compiled makes the call fail: %j', async (inputSchema) => {
    const { host } = await start([hostile([{ name: 'a', inputSchema }], () => says('ran'))])
    expect(await call(host, 'a', { a: 'x' })).toMatchObject({
      status: 'failed',
      text: expect.stringContaining('schema cannot be used'),
    })
  })
  test('the main argument is part of what is agreed to, and is none unless the schema has it', async () => {
    const tool = (name: string, main_argument?: unknown) => ({
      name,
      inputSchema: { type: 'object', properties: { unit: {} } },
      ...(main_argument !== undefined && { _meta: { 'dev.reeve': { main_argument } } }),
    })
    const pinned = async (main_argument?: unknown) => {
      const { host } = await start([hostile([tool('a', main_argument)], () => says(''))])
      const [found] = host.list()
      return { main: found!.main_argument, hash: found!.definition_hash }
    }
    const none = await pinned()
    expect(none.main).toBeNull()
    for (const odd of ['constructor', '', 7, { unit: 1 }, 'Unit']) expect(await pinned(odd)).toEqual(none)
    const unit = await pinned('unit')
    expect(unit.main).toBe('unit')
    expect(unit.hash).not.toBe(none.hash)
  })
  test('the summary shows values as they are, bounded, with hidden characters visible', async () => {
    const meta = { 'dev.reeve': { summary: 'Moves {from} to {to}[ and overwrites{?force}]' } }
    const { host } = await start([
      hostile(
        [
          { name: 'a', _meta: meta },
          { name: 'b', title: 'B\u202e' },
        ],
        () => says(''),
      ),
    ])
    const [a, b] = host.list()
    expect(a?.summarize({ from: 'x y', to: '{from}', force: true })).toBe('Moves "x y" to "{from}" and overwrites')
    expect(a?.summarize({ from: 'x', to: ['a', 'b\u200b c'], force: false })).toBe('Moves x to a "b\\u{200b} c"')
    expect(b?.summarize({})).toBe('Runs B\\u{202e}')
    expect(b?.summarize({ constructor: 1, __proto__: null })).toBe('Runs B\\u{202e} with constructor=1')
    expect(b?.summarize({ x: 'y'.repeat(9000) }).length).toBe(500)
  })
})
