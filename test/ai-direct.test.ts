import { describe, expect, it } from 'vitest'
import { environmentEngine } from '../server/ai/known-engine.ts'
import { openModel } from '../server/ai/open-model.ts'
import type { PromptMessage, PromptTool, StepChunk } from '../server/chat/ports/model.ts'
import type { Tool } from '../server/chat/ports/tools.ts'
import { ask, callsOf, config, PROCESSES, textOf, user } from './stage/ai-steps.ts'

const WRITE: PromptTool = {
  name: 'files.write',
  description: 'Writes a file.\nLong explanation for the model that nobody wants in a list.',
  input_schema: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      text: { type: ['string', 'null'] },
      mode: { type: 'integer' },
      ratio: { type: 'number' },
      sync: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
      ports: { type: 'array', items: { type: 'integer' } },
      owner: { type: 'object' },
      when: { enum: ['now', 'Later', 3] },
      any: {},
    },
    required: ['path'],
  },
}
const PING: PromptTool = {
  name: 'net.ping',
  description: 'Pings a host',
  input_schema: { type: 'object', properties: {} },
}
/** As many libraries write it: what has a default is listed as required. */
const SHOT: PromptTool = {
  name: 'page.shot',
  description: '',
  input_schema: {
    type: 'object',
    properties: { scale: { enum: ['css', 'device'], default: 'css' } },
    required: ['scale'],
  },
}
const FREE: PromptTool = { name: 'x.free', description: '', input_schema: { type: 'object' } }
const TOOLS = [PROCESSES, WRITE, PING, SHOT, FREE]

const RUN: PromptTool = { ...PING, name: 'system.run_command' }
const listed = [...TOOLS, RUN].map((tool): Tool => {
  const [module, name] = tool.name.split('.') as [string, string]
  return {
    ...tool,
    module,
    name,
    title: name,
    main_argument: null,
    effect: 'read',
    builtin: true,
    reach: 'own',
    module_version: '1',
    agreed: true,
    definition_hash: '',
    real_paths: false,
    fill: (input) => input,
    summarize: () => '',
    check: () => null,
  }
})
const BY = { role_id: '', choice: null }
const without = openModel([], { list: () => listed })
const withEngine = openModel([environmentEngine(config({ base_url: 'http://127.0.0.1:9' }))], { list: () => listed })

function run(text: string): Promise<StepChunk[]> {
  return ask(without.choose(text, BY), { messages: [user(text)], tools: TOOLS })
}

describe('which engine answers', () => {
  it.each([
    '/',
    ' /net.ping',
    '/net.ping host=a',
    '/system',
    '/nonsense.tool',
    '/ping',
    '/Processes sort=cpu',
    '/write {"path": "a"}',
    '/run_command df -h',
  ])('%j is for direct mode', (message) => {
    expect(withEngine.choose(message, BY)).toMatchObject({ ai_mode: 'direct', model: null, context_tokens: null })
  })

  it.each([
    'Hello',
    '/etc is full, why?',
    '/etc/hosts',
    'run /net.ping',
    '',
    '/ping is slow, why?',
    '/no_such_tool df',
  ])('%j is for the model', (message) => {
    expect(withEngine.choose(message, BY)).toMatchObject({
      ai_mode: 'model',
      model: 'scripted',
      context_tokens: 32_000,
    })
    expect(without.choose(message, BY).ai_mode).toBe('direct')
  })

  it('tells how ordinary messages are answered', async () => {
    expect(withEngine.describe()).toEqual({ ai_mode: 'model', model: 'scripted' })
    expect(without.describe()).toEqual({ ai_mode: 'direct', model: null })
    await withEngine.warmUp()
    await without.warmUp()
  })
})

describe('a direct command', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['/net.ping', 'net.ping', {}],
    ['  /NET.Ping  ', 'net.ping', {}],
    ['/files.write {"path": "a", "odd": [1]}', 'files.write', { path: 'a', odd: [1] }],
    ['/files.write\npath=a\nmode=0644', 'files.write', { path: 'a', mode: 644 }],
    ['/files.write path="two \\"words\\"" text=\'it is\'', 'files.write', { path: 'two "words"', text: 'it is' }],
    ['/files.write path=C:\\temp\\new text="C:\\temp"', 'files.write', { path: 'C:\\temp\\new', text: 'C:\\temp' }],
    ['/files.write path=12 text=null', 'files.write', { path: '12', text: null }],
    ['/files.write path=a text="null"', 'files.write', { path: 'a', text: 'null' }],
    ['/files.write path= ratio=-1.5e3 sync=YES', 'files.write', { path: '', ratio: -1500, sync: true }],
    [
      '/files.write path=a tags=x tags="y z" ports=[1, 2] ports=3',
      'files.write',
      { path: 'a', tags: ['x', 'y z'], ports: [1, 2, 3] },
    ],
    [
      '/files.write path=a owner={"name": "b } c"} when=LATER',
      'files.write',
      { path: 'a', owner: { name: 'b } c' }, when: 'Later' },
    ],
    ['/files.write path=a when=3 any=true', 'files.write', { path: 'a', when: 3, any: true }],
    ['/files.write path=a=b&c any="5"', 'files.write', { path: 'a=b&c', any: '5' }],
    ['/page.shot', 'page.shot', {}],
    ['/files.write /etc/hosts', 'files.write', { path: '/etc/hosts' }],
    ['/files.write my own file', 'files.write', { path: 'my own file' }],
    [
      '/x.free a=1 b=[1] c=text d=12345678901234567890',
      'x.free',
      { a: 1, b: [1], c: 'text', d: '12345678901234567890' },
    ],
  ])('%j', async (text, name, input) => {
    const chunks = await run(text)
    expect(chunks).toEqual([
      { type: 'call', call_id: 'direct_1', name, input, malformed: null, provider: null },
      { type: 'finish', reason: 'calls', input_tokens: 0, output_tokens: 0 },
    ])
  })

  it.each([
    ['/files.write', 'Missing: `path`'],
    ['/files.write mode=7', 'Missing: `path`'],
    ['/files.write path=a mode=7.5', '`mode` cannot be `7.5`; expected a whole number'],
    ['/files.write path=a mode=9007199254740993', 'expected a whole number'],
    ['/files.write path=a sync=maybe', 'expected `true` or `false`'],
    ['/files.write path=a ports=[1', '`[` is never closed'],
    ['/files.write path="a', '`"` is never closed'],
    ['/files.write path=a ports=x', 'expected a list'],
    ['/files.write path=a owner=me', 'expected a JSON object'],
    ['/files.write path=a when=soon', 'expected one of `now`, `Later`, `3`'],
    ['/files.write path=a path=b', '`path` is given twice'],
    ['/files.write path=a stray', '`stray` has no name'],
    ['/files.write pat=a', 'no argument `pat`. Did you mean `path`?'],
    ['/files.write path=a __proto__=1', 'no argument `__proto__`'],
    ['/files.write {"path": }', 'not valid JSON'],
    ['/files.write {"path": 1} x', 'not valid JSON'],
    ['/net.ping host=a', '`/net.ping` takes no arguments'],
    ['/net.ping now', '`now` has no name'],
  ])('%j is not run, and says why', async (text, expected) => {
    const chunks = await run(text)
    expect(callsOf(chunks)).toEqual([])
    expect(textOf(chunks)).toContain(expected)
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
  })

  it('says what a tool takes, with an example', async () => {
    const text = textOf(await run('/files.write'))
    expect(text).toContain('- `path` – text, required\n- `text` – text or `null`\n- `mode` – a whole number\n')
    expect(text).toContain('For example: `/files.write path="…"`')
  })

  it('takes the command from the first text, whatever was attached', async () => {
    const message: PromptMessage = {
      role: 'user',
      content: [
        { type: 'text', text: '/net.ping' },
        { type: 'text', text: 'file a.txt: x=1' },
      ],
    }
    expect(callsOf(await ask(without.choose('/net.ping', BY), { messages: [message], tools: TOOLS }))).toMatchObject([
      { name: 'net.ping', input: {} },
    ])
  })

  it('finds a tool by its name without the module where only one has it', async () => {
    expect(callsOf(await run('/Processes'))).toMatchObject([{ name: 'system.processes' }])
    expect(callsOf(await run('/write path=a'))).toMatchObject([{ name: 'files.write', input: { path: 'a' } }])
    const twins = [PING, { ...PING, name: 'web.ping' }]
    const chunks = await ask(without.choose('/ping', BY), { messages: [user('/ping')], tools: twins })
    expect(callsOf(chunks)).toEqual([])
    expect(textOf(chunks)).toMatch(/Did you mean[^]*`\/net\.ping`[^]*`\/web\.ping`/)
    // A module's name lists its tools, even where a tool is called so.
    const named = [PING, { ...PING, name: 'web.net' }]
    const list = await ask(without.choose('/net', BY), { messages: [user('/net')], tools: named })
    expect(callsOf(list)).toEqual([])
    expect(textOf(list)).toContain('`/net.ping`')
  })

  it('suggests near names and lists what can be run', async () => {
    expect(textOf(await run('/net.pong'))).toMatch(
      /no tool `\/net\.pong` .*Did you mean[^]*`\/net\.ping` – Pings a host\n\nAll tools: type `\/`/,
    )
    expect(textOf(await run('/proces'))).toContain('`/system.processes`')
    expect(textOf(await run('/proc'))).toMatch(/Did you mean one of these\?\n\n- `\/system\.processes`/)
    expect(textOf(await run('/qqqqqqqq.qqqq'))).toMatch(/that you may run\.\n\nAll tools: type `\/`/)
    const list = textOf(await run('/'))
    expect(list).toContain('**files**\n\n- `/files.write` – Writes a file.\n')
    expect(list).toContain('- `/system.processes` – Lists processes.\n')
    expect(list).not.toContain('Long explanation')
    const own = textOf(await run('/files'))
    expect(own).toContain('/files.write')
    expect(own).not.toContain('/net.ping')
  })

  it('runs nothing that was not offered', async () => {
    const chunks = await ask(without.choose('/files.write path=a', BY), {
      messages: [user('/files.write path=a')],
      tools: [PING],
    })
    expect(callsOf(chunks)).toEqual([])
    expect(textOf(chunks)).toContain('no tool `/files.write` that you may run')
    expect(textOf(await ask(without.choose('/', BY), { messages: [user('/')], tools: [] }))).toContain(
      'no tools that you may run',
    )
  })
})

describe('without an engine', () => {
  const SYSTEM = ['disks', 'host', 'memory', 'cpu', 'network', 'logs', 'services', 'run_command'].map(
    (name): PromptTool => ({ ...PING, name: `system.${name}`, title: name, description: 'Shows what there is.' }),
  )
  const suggested = async (text: string, language = 'en') => {
    const chunks = await ask(without.choose(text, BY), {
      messages: [user(text)],
      tools: [...TOOLS, ...SYSTEM],
      language,
    })
    return [...textOf(chunks).matchAll(/^- `\/([\w.]+)`/gm)].map(([, name]) => name)
  }

  it('says so, how to set one, what is near, and where the rest is', async () => {
    const text = textOf(await run('Which process is so slow?'))
    const places = ['No AI engine', '/admin/ai', 'Nearest to your words:', '`/system.processes`', 'All tools: type `/`']
    expect(places.map((part) => text.indexOf(part))).toEqual(
      places.map((part) => text.indexOf(part)).toSorted((a, b) => a - b),
    )
    expect(text).toContain('No AI engine')
  })

  it('suggests at most five tools, the nearest first, in the languages of people', async () => {
    expect((await suggested('How full is the disk?'))[0]).toBe('system.disks')
    expect((await suggested('Show me the memory, please'))[0]).toBe('system.memory')
    expect((await suggested('procesess'))[0]).toBe('system.processes')
    expect((await suggested('Wie voll ist die Platte?', 'de'))[0]).toBe('system.disks')
    expect((await suggested('Сколько места на диске?', 'ru'))[0]).toBe('system.disks')
    expect((await suggested('ディスクの空き容量は？', 'ja'))[0]).toBe('system.disks')
    expect((await suggested('内存还剩多少', 'zh'))[0]).toBe('system.memory')
    expect((await suggested('Which services and processes use the network, memory, disk, cpu and logs?')).length).toBe(
      5,
    )
  })

  it('gives examples when nothing is near, and says when there is nothing', async () => {
    const text = textOf(await run('Tell me a joke'))
    expect(text).toContain('For example:')
    expect(textOf(await ask(without.choose('Hello', BY), { messages: [user('Hello')], tools: [] }))).toContain(
      'no tools that you may run',
    )
  })
})

it('ends with an AbortError when it is cancelled', async () => {
  await expect(ask(without.choose('/', BY), { signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: 'AbortError',
  })
})
