import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { fromBufferPromise } from 'yauzl'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { say } from './stage/chat-stage.ts'
import { runModule } from './stage/modules/install-module.ts'

const run = promisify(execFile)

let work: string
let kit: string
let app: TestApp
let headers: Headers
let bytes: Buffer
/** Cuts the network off where the machine lets us: then nothing of the kit can have needed it. */
let offline: string[]

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'reeve-kit-'))
  kit = join(work, 'kit')
  app = await startTestApp()
  const admin = await app.as('admin')
  const response = await admin.call(contract.modules.sdk)
  headers = response.headers
  bytes = Buffer.from(await response.arrayBuffer())
  await unzip(bytes, kit)
  offline = await run('unshare', ['-n', 'true']).then(
    () => ['unshare', '-n'],
    () => [],
  )
}, 120_000)
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await rm(work, { recursive: true, force: true })
})

async function unzip(bytes: Buffer, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const archive = await fromBufferPromise(bytes)
  for await (const entry of archive.eachEntry()) {
    const path = join(folder, entry.fileName)
    await mkdir(join(path, '..'), { recursive: true })
    const pieces: Buffer[] = []
    for await (const piece of await archive.openReadStreamPromise(entry)) pieces.push(piece as Buffer)
    await writeFile(path, Buffer.concat(pieces))
  }
}

test('comes as an archive with its name and size', () => {
  expect(headers.get('content-disposition')).toContain('filename="Service-Module-AI-SDK-v1.zip"')
  expect(headers.get('content-type')).toBe('application/zip')
  expect(headers.get('content-length')).toBe(String(bytes.length))
})

/** Types a line of the documentation, in the folder of the kit, with nothing of this project in the environment. */
async function type(line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')
  const [program, ...args] = [...offline, ...words.map((word) => (word === 'node' ? process.execPath : word))]
  const options = { cwd: kit, env: { PATH: process.env['PATH'], HOME: work }, timeout: 60_000 }
  return run(program!, args, options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({ ...error, code: error.code }),
  )
}

test(
  'an author who follows AGENTS.md literally gets a module that installs and works',
  { timeout: 120_000 },
  async () => {
    const guide = await readFile(join(kit, 'AGENTS.md'), 'utf8')
    const steps = [...guide.matchAll(/^\d+\. [\s\S]*?(?=^\d+\. |^## )/gm)].map(([step]) => step)
    expect(steps).toHaveLength(10)
    const lines = steps
      .flatMap((step) => [...step.matchAll(/`(node bin\/module-sdk\.mjs [^`]+)`/g)].map(([, line]) => line!))
      .map((line) =>
        line
          .replaceAll('MODULE', join(work, 'first'))
          .replaceAll('NAME.mcpb', join(work, 'first.mcpb'))
          .replace('Display name', 'First module'),
      )
    expect(lines.map((line) => line.split(' ')[2])).toEqual(['init', 'validate', 'test', 'pack', 'inspect'])
    for (const line of lines) {
      const { code, stdout, stderr } = await type(line)
      expect([line, code, stderr]).toEqual([line, 0, ''])
      if (line.includes('--json')) expect(JSON.parse(stdout)).toMatchObject({ ok: true })
    }

    const admin = await app.as('admin')
    const module = await runModule(admin, join(work, 'first.mcpb'), { values: { greeting: 'Ahoy' } })
    expect(module).toMatchObject({ name: 'first-module', display_name: 'First module', state: 'running' })
    const waiting = await say(admin, '/first-module.greet name=Ada')
    const { result } = await admin.call(contract.chat.decideApproval, {
      params: { approval_id: waiting.approvals[0]!.approval_id },
      body: { decision: 'approve' },
    })
    expect(result!.tool_calls_executed[0]!.result_preview).toBe('Ahoy, Ada.')
  },
)

describe('every template and example', () => {
  test.each(['minimal-js', 'javascript', 'python'])(
    'template %s passes its checks',
    { timeout: 120_000 },
    async (name) => {
      const folder = join(work, `from-${name}`)
      expect((await type(`node bin/module-sdk.mjs init ${folder} --template ${name} --name "From ${name}"`)).code).toBe(
        0,
      )
      expect(await judge(folder)).toEqual({ ok: true, grade: 'silver', failed: [] })
    },
  )

  test.each(['hosts', 'jobs', 'notebook'])('example %s passes its checks', { timeout: 120_000 }, async (name) => {
    const folder = join(work, `copy-${name}`)
    await cp(join(kit, 'examples', name), folder, { recursive: true })
    expect(await judge(folder)).toEqual({ ok: true, grade: 'silver', failed: [] })
  })
})

describe('an MCP server that exists', () => {
  test('becomes a module that passes its checks and runs', { timeout: 120_000 }, async () => {
    const folder = join(work, 'wrapped')
    const installed = fileURLToPath(new URL('../node_modules/@modelcontextprotocol/server-memory', import.meta.url))
    const made = await type(`node bin/module-sdk.mjs init ${folder} --wrap ${installed} --name "Memory"`)
    expect([made.code, made.stderr]).toEqual([0, ''])
    expect(await judge(folder)).toMatchObject({ ok: true, failed: [] })
    await type(`node bin/module-sdk.mjs pack ${folder} -o ${join(work, 'memory.mcpb')}`)
    const module = await runModule(await app.as('admin'), join(work, 'memory.mcpb'))
    expect(module).toMatchObject({ name: 'memory', display_name: 'Memory', state: 'running' })
    expect(module.tools.map(({ name }) => name)).toContain('create_entities')
  })

  test('keeps two versions of one package apart, where Node finds each', async () => {
    const from = join(work, 'two-versions')
    const modules = {
      'node_modules/top': { dependencies: { shared: '2', nested: '1' } },
      'node_modules/top/node_modules/shared': { version: '2.0.0' },
      'node_modules/nested': { dependencies: { shared: '1' } },
      'node_modules/shared': { version: '1.0.0' },
    }
    for (const [path, about] of Object.entries(modules)) {
      await mkdir(join(from, path), { recursive: true })
      await writeFile(join(from, path, 'package.json'), JSON.stringify({ name: path.split('/').at(-1), ...about }))
      await writeFile(join(from, path, 'index.js'), '')
    }
    await writeFile(
      join(from, 'package.json'),
      JSON.stringify({ name: 'server', main: 'index.js', dependencies: { shared: '1', top: '1' } }),
    )
    await writeFile(
      join(from, 'index.js'),
      `console.log(['shared', 'top'].map((name) => require.resolve(name)).join())
       const top = process.getBuiltinModule('module').createRequire(require.resolve('top'))
       const nested = process.getBuiltinModule('module').createRequire(top.resolve('nested'))
       for (const require of [top, nested]) console.log(require(['shared', 'package.json'].join('/')).version)`,
    )
    const folder = join(work, 'apart')
    expect((await type(`node bin/module-sdk.mjs init ${folder} --wrap ${from}`)).code).toBe(0)
    const { stdout } = await run(process.execPath, [join(folder, 'node_modules/server/index.js')])
    const [paths, ...versions] = stdout.trim().split('\n')
    expect(paths!.split(',').every((path) => path.startsWith(join(folder, 'node_modules')))).toBe(true)
    expect(versions).toEqual(['2.0.0', '1.0.0'])

    await rm(join(from, 'node_modules/nested'), { recursive: true })
    const missing = await type(`node bin/module-sdk.mjs init ${join(work, 'missing')} --wrap ${from}`)
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('top needs nested, which is not installed'),
    })
    const unknown = await type(`node bin/module-sdk.mjs init ${join(work, 'unknown')} --wrap no-such-package`)
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no package no-such-package') })
  })
})

async function judge(folder: string) {
  const validated = await type(`node bin/module-sdk.mjs validate ${folder} --json`)
  const { ok, grade } = JSON.parse(validated.stdout) as { ok: boolean; grade: string }
  const tested = await type(`node bin/module-sdk.mjs test ${folder} --json`)
  const { checks } = JSON.parse(tested.stdout) as { checks: { name: string; ok: boolean; message: string }[] }
  const failed = checks.length < 4 ? ['too few checks'] : checks.filter((check) => !check.ok)
  return { ok, grade, failed }
}

describe('a module that is wrong', () => {
  test('is told where its result has the wrong form', { timeout: 120_000 }, async () => {
    const folder = join(work, 'misshapen')
    await type(`node bin/module-sdk.mjs init ${folder} --name Misshapen`)
    const path = join(folder, 'server.js')
    const server = await readFile(path, 'utf8')
    const replaced = server.replace("content: [{ type: 'text', text: await run(input) }]", "content: { text: 'Hello' }")
    await writeFile(path, replaced)
    const tested = await type(`node bin/module-sdk.mjs test ${folder}`)
    expect(tested.stdout).toContain(
      "The module's answer is not a tool result: content must be a list of blocks, not an object.",
    )
  })

  test('is told so by validate, test, and the exit code', { timeout: 120_000 }, async () => {
    const folder = join(work, 'wrong')
    await type(`node bin/module-sdk.mjs init ${folder} --name Wrong`)
    const server = await readFile(join(folder, 'server.js'), 'utf8')
    await writeFile(
      join(folder, 'server.js'),
      `console.log('starting')\n${server.replace('GREETING ??', 'NOTHING ??')}`,
    )
    const tested = await type(`node bin/module-sdk.mjs test ${folder} --json`)
    expect(tested.code).toBe(1)
    const { checks } = JSON.parse(tested.stdout) as { checks: { name: string; ok: boolean }[] }
    const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name)
    expect(failed).toEqual(expect.arrayContaining(['greets by name', 'keeps standard output clean']))

    await writeFile(join(folder, 'manifest.json'), '{"name": "wrong"}')
    const validated = await type(`node bin/module-sdk.mjs validate ${folder} --json`)
    expect(validated.code).toBe(1)
    expect(JSON.parse(validated.stdout)).toMatchObject({ ok: false, findings: [{ code: 'bad_manifest' }] })
  })

  test('cannot be made over something else, nor from a template that is not there', async () => {
    const there = await type(`node bin/module-sdk.mjs init ${kit}`)
    expect(there).toMatchObject({ code: 2, stderr: expect.stringContaining('is not empty') })
    const unknown = await type(`node bin/module-sdk.mjs init ${join(work, 'x')} --template perl`)
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('javascript, minimal-js, python, typescript'),
    })
  })
})

test('documents every code that validate can give', async () => {
  const table = await readFile(join(kit, 'docs/troubleshooting.md'), 'utf8')
  const folder = new URL('../server/modules/bundle/', import.meta.url)
  const codes = new Set<string>()
  for (const name of (await readdir(folder, { recursive: true })).filter((each) => each.endsWith('.ts'))) {
    const text = await readFile(new URL(name, folder), 'utf8')
    const given = /code: '([a-z_]+)'|\b(?:warn|error|add)\(\s*'([a-z_]+)'/g
    for (const [, plain, called] of text.matchAll(given)) codes.add((plain ?? called)!)
  }
  expect(codes.size).toBeGreaterThan(40)
  expect([...codes].filter((code) => !table.includes(`\`${code}\``))).toEqual([])
})
