import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { LEVELS, LIMITS, NOTHING, openStage } from './stage/modules/sandbox-stage.ts'

const PACKAGES = join(import.meta.dirname, '../node_modules/@modelcontextprotocol')
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"value":"%s"}}'

/** Servers that others wrote, unchanged, in their own folder. */
const SERVERS = [
  { name: 'server-everything', tools: 10 },
  { name: 'server-filesystem', tools: 10 },
  { name: 'server-memory', tools: 9 },
  { name: 'server-sequential-thinking', tools: 1 },
]

describe.each(LEVELS)('at the level %s', (level) => {
  test.each(SERVERS)('$name runs as it is', async ({ name, tools }) => {
    await using stage = await openStage(level)
    const { bin } = JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8')) as {
      bin: Record<string, string>
    }
    const program = join(PACKAGES, name, Object.values(bin)[0]!)
    const launch = stage.launch({})
    // Its libraries are beside it here, not in it.
    const bundleFolder = join(PACKAGES, '..')
    const args = [program, ...(name === 'server-filesystem' ? [launch.dataFolder] : [])]
    const command = level === 'process' ? join(stage.bundleFolder, 'program') : 'node'
    const link = await stage.sandbox.start(
      { ...launch, command, args, bundleFolder, env: { MEMORY_FILE_PATH: join(launch.dataFolder, 'memory.json') } },
      { ...NOTHING, folders: [{ path: stage.bundleFolder, write: false }] },
      LIMITS,
      new AbortController().signal,
    )
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(link.transport)
    expect((await client.listTools()).tools.length).toBeGreaterThanOrEqual(tools)
    if (name === 'server-filesystem') {
      const path = join(launch.dataFolder, 'written.txt')
      await client.callTool({ name: 'write_file', arguments: { path, content: 'by the module' } })
      expect(readFileSync(path, 'utf8')).toBe('by the module')
    }
    if (name === 'server-memory') {
      const entities = [{ name: 'a', entityType: 'b', observations: ['c'] }]
      await client.callTool({ name: 'create_entities', arguments: { entities } })
      expect(existsSync(join(launch.dataFolder, 'memory.json'))).toBe(true)
    }
    await client.close()
    expect((await link.gone).reason.toString()).toBe('It was stopped.')
  })

  test.skipIf(!hasPython())('a Python server runs', async () => {
    await using stage = await openStage(level)
    const script = join(stage.bundleFolder, 'server.py')
    writeFileSync(
      script,
      `import json, sys, ssl, sqlite3, multiprocessing\nsys.stdin.readline()\nprint('${ANSWER}' % sys.version_info[0])\n`,
    )
    const launch = { ...stage.launch({}), command: 'python', args: [script] }
    expect(stage.sandbox.level(launch, NOTHING).level).toBe(level === 'isolated' ? 'isolated' : 'process')
    expect(await firstAnswer(stage, launch)).toBe('3')
  })

  test('a program of the bundle runs', async () => {
    await using stage = await openStage(level)
    mkdirSync(join(stage.bundleFolder, 'bin'))
    const script = join(stage.bundleFolder, 'bin/server')
    writeFileSync(script, `#!/bin/sh\nread -r line\nprintf '${ANSWER}\\n' "$1"\n`)
    chmodSync(script, 0o755)
    expect(await firstAnswer(stage, { ...stage.launch({}), command: 'bin/server', args: ['$HOME; `id`'] })).toBe(
      '$HOME; `id`',
    )
  })
})

test('options of Node that could lift the limits are not passed on as limited', async () => {
  await using stage = await openStage('guarded')
  for (const option of ['--allow-fs-read=*', '--no-permission', '-r', '--import=./x.mjs', '--env-file=.env', '-e']) {
    const { level, reason } = stage.sandbox.level({ ...stage.launch({}), args: [option, 'x'] }, NOTHING)
    expect({ option, level, reason: reason.toString() }).toEqual({
      option,
      level: 'process',
      reason: expect.stringContaining(`${option.split('=', 1)[0]}, which could lift the limits`) as unknown,
    })
  }
  const harmless = stage.sandbox.level({ ...stage.launch({}), args: ['--enable-source-maps', 'x.js', '-r'] }, NOTHING)
  expect(harmless.level).not.toBe('process')
  const odd = stage.sandbox.level({ ...stage.launch({}), dataFolder: '/data/a*b' }, NOTHING)
  expect(odd.level).toBe('process')
  expect(odd.reason.toString()).toContain('/data/a*b')
})

test('variables that could lift the limits of Node do not reach it', async () => {
  await using stage = await openStage(LEVELS.includes('restricted') ? 'restricted' : 'guarded')
  writeFileSync(join(stage.folder, 'reeve.sqlite'), 'canary')
  const env = {
    NODE_OPTIONS: '--allow-fs-read=*',
    LD_PRELOAD: '/tmp/x.so',
    NODE_ENV: 'production',
    PATH: '/evil',
    HOME: '/evil',
  }
  const agent = await stage.start({ env })
  const seen = (await agent.ask('env')) as Record<string, string>
  expect(Object.keys(seen)).not.toContain('NODE_OPTIONS')
  expect(Object.keys(seen)).not.toContain('LD_PRELOAD')
  expect(seen).toMatchObject({ NODE_ENV: 'production', HOME: stage.dataFolder() })
  expect(seen.PATH).not.toContain('/evil')
  expect(await agent.ask('read', { path: join(stage.folder, 'reeve.sqlite') })).toBe('Error: ERR_ACCESS_DENIED')
})

test.each(['/', '//', '/proc', '/proc/', '/data/../sys', '/dev/shm'])(
  'the folder %s is given to nobody',
  async (path) => {
    await using stage = await openStage(LEVELS[0]!)
    const grants = { ...NOTHING, folders: [{ path, write: false }] }
    const started = stage.sandbox.start(stage.launch({}), grants, LIMITS, new AbortController().signal)
    await expect(started).rejects.toThrow(`The folder ${path} cannot be given to a module.`)
  },
)

test('a start that is given up leaves nothing', async () => {
  await using stage = await openStage(LEVELS[0]!)
  const start = (signal: AbortSignal) => stage.sandbox.start(stage.launch({}), NOTHING, LIMITS, signal)
  await expect(start(AbortSignal.abort(new Error('Given up.')))).rejects.toThrow('Given up.')
  const abort = new AbortController()
  const started = start(abort.signal)
  abort.abort(new Error('Given up.'))
  await expect(started).rejects.toThrow('Given up.')
})

function hasPython(): boolean {
  try {
    execFileSync('/usr/bin/python3', ['--version'])
    return true
  } catch {
    return false
  }
}

async function firstAnswer(
  stage: Awaited<ReturnType<typeof openStage>>,
  launch: ReturnType<typeof stage.launch>,
): Promise<unknown> {
  const link = await stage.sandbox.start(launch, NOTHING, LIMITS, new AbortController().signal)
  const answer = new Promise((resolve) => {
    link.transport.onmessage = (message) => resolve((message as { result?: { value: unknown } }).result?.value)
    link.transport.onclose = () => resolve(link.stderr())
  })
  await link.transport.start()
  await link.transport.send({ jsonrpc: '2.0', id: 1, method: 'x' })
  const value = await answer
  await link.close()
  return value
}
