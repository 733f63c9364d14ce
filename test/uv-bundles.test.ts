import { spawnSync } from 'node:child_process'
import { access, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeTree } from '../server/modules/bundle/archive/remove-tree.ts'
import { unpackBundle } from '../server/modules/bundle/archive/unpack-bundle.ts'
import { reviewBundle } from '../server/modules/bundle/review/review-bundle.ts'
import type { PypiOptions } from '../server/modules/source/pypi/choose-wheels.ts'
import { packUv } from '../server/modules/source/uv/pack-uv.ts'
import { servePypi } from './stage/pypi/pypi-index.ts'
import { makeUvBundle, type UvBundle } from './stage/pypi/uv-bundle.ts'

const PYTHON = '/usr/bin/python3'
let index: Awaited<ReturnType<typeof servePypi>>
const folders: string[] = []
beforeAll(async () => {
  index = await servePypi()
  await index.publish(
    { name: 'greeting-words', version: '1.0', files: { 'greeting_words.py': 'WORD = "old"' } },
    { name: 'greeting-words', version: '1.5', files: { 'greeting_words.py': 'WORD = "hello"' } },
    {
      name: 'starter',
      version: '1.0',
      scripts: 'starter = starter:main',
      files: { 'starter.py': 'import sys\ndef main(): print("started", *sys.argv[1:])' },
    },
  )
})
afterAll(async () => {
  await index[Symbol.asyncDispose]()
  for (const folder of folders) await removeTree(folder)
})

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'reeve-uv-'))
  folders.push(made)
  return made
}

/** Packs a bundle anew and gives what is in it. */
async function packed(made: UvBundle, options: Partial<PypiOptions> = {}) {
  const [sent, work, tree] = [await folder(), await folder(), await folder()]
  const file = join(sent, 'sent.mcpb')
  await writeFile(file, await makeUvBundle(made))
  const before = join(sent, 'tree')
  await mkdir(before)
  const bundle = await unpackBundle(file, before)
  const result = await packUv(bundle, before, { index: { url: index.url }, python: PYTHON, folder: work, ...options })
  const after = await unpackBundle(result, tree)
  return { ...after, tree, lock: JSON.parse(await readFile(join(tree, 'reeve-lock.json'), 'utf8')) }
}

function started({ tree, manifest }: Pick<Awaited<ReturnType<typeof packed>>, 'tree' | 'manifest'>, input = '') {
  const { command, args = [] } = manifest.server.mcp_config!
  expect(command).toBe('python3')
  const words = args.map((arg) => arg.replace('${__dirname}', tree))
  const { stdout, stderr } = spawnSync(PYTHON, words, { input, encoding: 'utf8', env: { PYTHONPATH: '/nowhere' } })
  return { stdout, stderr }
}
const lockOf = (version: string, sha256: string, more = '') => `
version = 1
[[package]]
name = "greeting-words"
version = "${version}"
source = { registry = "https://elsewhere.example/simple" }
${more}wheels = [{ url = "https://elsewhere.example/x.whl", hash = "sha256:${sha256}" }]

[[package]]
name = "mcp-own"
version = "1.0.0"
source = { editable = "." }
`
async function digestOf(version: string): Promise<string> {
  const answer = await fetch(new URL('greeting-words/', index.url))
  const { files } = (await answer.json()) as { files: { filename: string; hashes: { sha256: string } }[] }
  return files.find(({ filename }) => filename.includes(`-${version}-`))!.hashes.sha256
}

describe('a bundle of uv becomes one that holds what it needs', () => {
  const call = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hello' } })}\n`

  test('and starts without any of the machine’s packages', async () => {
    const files = { 'helper/__init__.py': '', '.venv/lib/old.py': 'old', 'uv-notes.txt': 'kept' }
    const made = await packed({ dependencies: ['greeting-words', 'never-here; python_version < "3"'], files })
    expect(made.lock).toMatchObject({
      kind: 'uv',
      uv_lock: false,
      packages: [{ name: 'greeting-words', version: '1.5' }],
    })
    expect(Object.keys(made.files)).toEqual(expect.arrayContaining(['src/server.py', 'uv-notes.txt', 'pyproject.toml']))
    expect(Object.keys(made.files).filter((path) => path.startsWith('.venv'))).toEqual([])
    expect(reviewBundle(made).warnings.filter(({ level }) => level === 'danger')).toEqual([])
    const { stdout, stderr } = started(made, call)
    expect([stderr, JSON.parse(stdout)]).toMatchObject(['', { result: { content: [{ text: 'hello ' }] } }])
  }, 60_000)

  test('in the versions of its lock, where there is one; a digest that differs refuses it', async () => {
    const dependencies = ['greeting-words']
    const locked = await packed({ dependencies, lock: lockOf('1.0', await digestOf('1.0')) })
    expect(locked.lock).toMatchObject({ uv_lock: true, packages: [{ version: '1.0' }] })
    expect(started(locked, call).stdout).toContain('old')
    const other = { dependencies, lock: lockOf('1.0', '0'.repeat(64)) }
    await expect(packed(other)).rejects.toMatchObject({ code: 'source_refused' })
    await expect(packed(other)).rejects.toThrow('“uv.lock” has no wheel of greeting-words 1.0')
    const forked = lockOf('1.0', await digestOf('1.0'), `resolution-markers = ["python_version >= '3'"]\n`)
    const never = lockOf('9.9', '0'.repeat(64), `resolution-markers = ["python_version < '3'"]\n`)
    expect((await packed({ dependencies, lock: forked + never.replace('version = 1\n', '') })).lock).toMatchObject({
      packages: [{ version: '1.0' }],
    })
  }, 120_000)

  test('whatever its manifest says of uv run: a file, a module, its own program, one of a package', async () => {
    const dependencies = ['starter']
    const files = {
      'src/own/__init__.py': '',
      'src/own/__main__.py': 'from own.part import main\nmain()',
      'src/own/part.py': 'import sys, os\ndef main(): print("own", *sys.argv[1:], os.path.exists("pyproject.toml"))',
    }
    const run = async (...args: string[]) =>
      started(
        await packed({
          dependencies,
          files,
          project: '[project.scripts]\nown-tool = "own.part:main"\n',
          launch: { command: 'uv', args },
        }),
      )
    const inside = ['run', '--directory', '${__dirname}', '--frozen']
    expect(await run(...inside, 'own-tool', 'x')).toEqual({ stdout: 'own x True\n', stderr: '' })
    expect(await run('--directory=${__dirname}', 'run', 'python', '-m', 'own', 'y')).toMatchObject({
      stdout: 'own y True\n',
    })
    expect(await run('run', '--project', '${__dirname}', 'starter', 'z')).toMatchObject({ stdout: 'started z\n' })
    expect(await run('run', '-q', '-m', 'own')).toMatchObject({ stdout: expect.stringMatching(/^own /) })
  }, 120_000)

  test('extras that the command names, and no packages at all', async () => {
    const project = '[project.optional-dependencies]\nwords = ["greeting-words<1.5"]\n'
    const launch = { command: 'uv', args: ['run', '--extra', 'words', '${__dirname}/src/server.py'] }
    expect((await packed({ dependencies: [], project, launch })).lock.packages).toMatchObject([{ version: '1.0' }])
    const plain = await packed({ dependencies: [], files: { 'src/server.py': 'print("alone")' } })
    expect([plain.lock.packages, started(plain).stdout]).toEqual([[], 'alone\n'])
  }, 60_000)
})

test('nothing of it is run while it is packed', async () => {
  const mark = join(await folder(), 'was-run')
  const code = `open(${JSON.stringify(mark)}, 'w')\n`
  const places = ['setup.py', 'sitecustomize.py', 'usercustomize.py', 'backend.py', 'pip/__init__.py', 'json.py']
  const made = await packed({
    dependencies: ['greeting-words'],
    project: '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
    files: { ...Object.fromEntries(places.map((path) => [path, code])), 'src/server.py': code },
  })
  await expect(access(mark)).rejects.toThrow('ENOENT')
  expect(started(made).stderr).toBe('')
  await access(mark)
}, 60_000)

describe('what is refused', () => {
  test.each<[string, UvBundle, string]>([
    ['an address', { dependencies: ['other @ https://x.example/other-1.0-py3-none-any.whl'] }, 'from elsewhere'],
    ['a repository', { dependencies: ['other @ git+https://x.example/other.git'] }, 'from elsewhere'],
    ['a folder', { dependencies: ['other @ file:///tmp/other'] }, 'from elsewhere'],
    [
      'a source of its own',
      { dependencies: ['Greeting_words'], project: '[tool.uv.sources]\ngreeting-words = { path = "../x" }\n' },
      'from elsewhere',
    ],
    ['itself from the index', { dependencies: ['mcp-own[all]'] }, 'from elsewhere'],
    ['an option of pip', { dependencies: ['--index-url=http://x.example'] }, 'no version or requirement'],
    ['another Python', { dependencies: [], python: '>=4' }, 'It needs Python >=4'],
    ['what only a build says', { dependencies: null, project: 'dynamic = ["dependencies"]\n' }, 'nothing is built'],
    ['no list of what it needs', { dependencies: null, pyproject: 'not toml' }, 'cannot be read'],
    ['a lock that is none', { dependencies: [], lock: 'package = 1' }, 'cannot be read'],
    [
      'packages in its command',
      { dependencies: [], launch: { command: 'uv', args: ['run', '--with', 'x', 'y'] } },
      '--with',
    ],
    ['a tool', { dependencies: [], launch: { command: 'uv', args: ['tool', 'run', 'x'] } }, 'tool'],
    ['a shell', { dependencies: [], launch: { command: 'sh', args: ['-c', 'uv run x'] } }, 'sh'],
    ['a file outside', { dependencies: [], launch: { command: 'uv', args: ['run', '../x.py'] } }, 'has no file'],
    ['a program that nobody has', { dependencies: [], launch: { command: 'uv', args: ['run', 'x'] } }, 'program x'],
    ['a package that nobody has', { dependencies: ['nobody-has-this'] }, 'nobody-has-this'],
  ])(
    '%s',
    async (_what, made, words) => {
      await expect(packed(made)).rejects.toThrow(words)
    },
    60_000,
  )

  test('a machine without pip', async () => {
    for (const python of [null, '/bin/true'])
      await expect(packed({ dependencies: [] }, { python })).rejects.toThrow('python3 and pip 23')
  }, 60_000)
})
