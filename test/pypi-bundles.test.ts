import { spawnSync } from 'node:child_process'
import { access, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeTree } from '../server/modules/bundle/archive/remove-tree.ts'
import { unpackBundle } from '../server/modules/bundle/archive/unpack-bundle.ts'
import { bundleOrigin } from '../server/modules/bundle/manifest/bundle-origin.ts'
import { reviewBundle } from '../server/modules/bundle/review/review-bundle.ts'
import type { PypiOptions } from '../server/modules/source/pypi/choose-wheels.ts'
import { newestPypi, packPypi, type PypiRequest } from '../server/modules/source/pypi/pack-pypi.ts'
import { type MadeWheel, PYTHON_SERVER, servePypi } from './stage/pypi/pypi-index.ts'

const PYTHON = '/usr/bin/python3'
let index: Awaited<ReturnType<typeof servePypi>>
const folders: string[] = []
beforeAll(async () => {
  index = await servePypi()
})
afterAll(async () => {
  await index[Symbol.asyncDispose]()
  for (const folder of folders) await removeTree(folder)
})

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'reeve-pypi-'))
  folders.push(made)
  return made
}
async function packed(request: PypiRequest, options: Partial<PypiOptions> = {}) {
  return packPypi(request, { index: { url: index.url }, python: PYTHON, folder: await folder(), ...options })
}
function program(name: string, more: Partial<MadeWheel> = {}): MadeWheel {
  const module = name.replaceAll('-', '_')
  const files = { [`${module}.py`]: 'def main():\n    print("up")\n' }
  return { name, version: '1.0.0', scripts: `${name} = ${module}:main`, files, ...more }
}

describe('a package becomes a bundle', () => {
  test('with all that it needs, chosen by pip, and starts without any of the machine’s packages', async () => {
    await index.publish(
      { name: 'greeting-words', version: '1.0', files: { 'greeting_words.py': 'WORD = "old"' } },
      { name: 'greeting-words', version: '1.5', files: { 'greeting_words.py': 'WORD = "hello"' } },
      { name: 'greeting-words', version: '2.0', files: { 'greeting_words.py': 'WORD = "new"' } },
      { name: 'never-here', version: '1.0' },
      {
        name: 'mcp-greeter',
        version: '0.3.1',
        requires: ['greeting-words>=1,<2', 'never-here; python_version < "3"'],
        scripts: 'mcp-greeter = mcp_greeter.server:main',
        files: { 'mcp_greeter/__init__.py': '', 'mcp_greeter/server.py': PYTHON_SERVER },
      },
    )
    const steps: string[] = []
    const settings = { API_TOKEN: { sensitive: true, required: true } }
    const request = { name: 'mcp-greeter', args: ['loudly'], settings }
    const one = await packed(request, { progress: ({ step }) => void steps.push(step) })
    expect((await packed(request)).digest).toBe(one.digest)
    expect(new Set(steps)).toEqual(new Set(['resolving', 'fetching', 'packing']))
    expect(one.lock.packages.map(({ name, version }) => `${name}@${version}`)).toEqual([
      'mcp-greeter@0.3.1',
      'greeting-words@1.5',
    ])
    const tree = await folder()
    const bundle = await unpackBundle(one.file, tree)
    expect(JSON.parse(await readFile(join(tree, 'reeve-lock.json'), 'utf8'))).toEqual(one.lock)
    expect(bundleOrigin(bundle.manifest)).toMatchObject({ kind: 'pypi', name: 'mcp-greeter', range: 'latest' })
    expect(reviewBundle(bundle).warnings.filter(({ level }) => level === 'danger')).toEqual([])
    const { command, args = [], env } = bundle.manifest.server.mcp_config!
    expect([command, env]).toEqual(['python3', { API_TOKEN: '${user_config.API_TOKEN}' }])
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hello' } })
    const started = spawnSync(
      PYTHON,
      args.map((arg) => arg.replace('${__dirname}', tree)),
      { input: `${call}\n`, encoding: 'utf8', env: { PYTHONPATH: '/nowhere' } },
    )
    expect([started.stderr, JSON.parse(started.stdout)]).toMatchObject([
      '',
      { result: { content: [{ text: 'hello loudly' }] } },
    ])
  }, 60_000)

  test('a version and a range; the newest of them is found without what it needs', async () => {
    await index.publish(
      program('ranged', { version: '1.2.0' }),
      program('ranged', { version: '1.9.0', requires: ['nobody-has-this'] }),
      program('ranged', { version: '2.0.0' }),
    )
    expect((await packed({ name: 'ranged', range: '1.2.0' })).version).toBe('1.2.0')
    expect((await packed({ name: 'Ranged' })).version).toBe('2.0.0')
    const options = { index: { url: index.url }, python: PYTHON, folder: await folder() }
    expect(await newestPypi({ name: 'ranged', range: '<2' }, options)).toBe('1.9.0')
    expect(await readdir(options.folder)).toEqual([])
  }, 60_000)

  test('a program that is asked for may be of a package that it needs', async () => {
    await index.publish(program('inner-tool'), { name: 'outer-tool', version: '1.0', requires: ['inner-tool'] })
    await expect(packed({ name: 'outer-tool' })).rejects.toThrow('no program')
    const tree = await folder()
    await unpackBundle((await packed({ name: 'outer-tool', program: 'inner-tool' })).file, tree)
    expect(await readFile(join(tree, 'main.py'), 'utf8')).toContain('import_module("inner_tool")')
  }, 60_000)

  test('programs, headers and data of a wheel stay out, and of two that bring one file the first has it', async () => {
    await index.publish(
      { name: 'second', version: '1.0', files: { 'shared.py': 'second', 'second.py': '' } },
      program('first', {
        requires: ['second'],
        files: {
          'shared.py': 'first',
          'first.py': 'def main(): pass',
          'first-1.0.0.data/purelib/inner.py': 'inner',
          'first-1.0.0.data/scripts/run.sh': '#!/bin/sh\n',
          'first-1.0.0.data/data/etc/x': 'x',
        },
      }),
    )
    const tree = await folder()
    const { files } = await unpackBundle((await packed({ name: 'first' })).file, tree)
    const modules = Object.keys(files).filter((path) => !/dist-info|json$/.test(path))
    expect(modules).toEqual([
      'main.py',
      ...['first.py', 'inner.py', 'second.py', 'shared.py'].map((file) => `site-packages/${file}`),
    ])
    expect(await readFile(join(tree, 'site-packages/shared.py'), 'utf8')).toBe('first')
  }, 60_000)

  test('the token goes to the index; pip never sees it, and the index is asked for nothing else', async () => {
    await index.publish(program('guarded'))
    index.asked.length = 0
    await packed({ name: 'guarded' }, { index: { url: index.url, token: 'me:word' } })
    expect(index.asked.map(({ path }) => path)).toEqual(['/simple/guarded/', '/files/guarded-1.0.0-py3-none-any.whl'])
    const basic = `Basic ${Buffer.from('me:word').toString('base64')}`
    expect(new Set(index.asked.map(({ authorization }) => authorization))).toEqual(new Set([basic]))
    await packed({ name: 'guarded' }, { index: { url: index.url, token: 'word' } })
    expect(index.asked.at(-1)?.authorization).toBe('Bearer word')
  }, 60_000)
})

describe('what is refused', () => {
  test.each<[string, Partial<MadeWheel>, string]>([
    ['another digest', { said: { hashes: { sha256: '0'.repeat(64) } } }, 'not what its digest says'],
    ['no digest', { said: { hashes: {} } }, 'No set of wheels'],
    ['no program', { scripts: 'nothing' }, 'no program'],
    ['a wheel for another machine', { tags: 'cp27-cp27m-win32' }, 'No set of wheels'],
    ['a dependency that nobody has', { requires: ['nobody-has-this'] }, 'nobody-has-this'],
    [
      'a dependency at an address',
      { requires: ['other @ https://packages.example/other-1.0-py3-none-any.whl'] },
      'No set of wheels',
    ],
    [
      'a dependency in a repository',
      { requires: ['other @ git+https://packages.example/other.git'] },
      'No set of wheels',
    ],
    ['a digest of another place', { said: { url: 'http://127.0.0.1:4321/x.whl' } }, 'private network'],
  ])(
    '%s',
    async (what, more, words) => {
      const name = what.replaceAll(' ', '-')
      await index.publish(program(name, more))
      await expect(packed({ name })).rejects.toThrow(words)
    },
    60_000,
  )

  test('a wheel of this machine that a package names', async () => {
    await index.publish(
      { name: 'local-one', version: '1.0' },
      program('names-a-file', { requires: [`local-one @ file://${index.folder}/local_one-1.0-py3-none-any.whl`] }),
    )
    await expect(packed({ name: 'names-a-file' })).rejects.toThrow('“local-one” from elsewhere')
  }, 60_000)

  test('descriptions without end', async () => {
    await index.publish(program('wordy', { description: `${'x'.repeat(79)}\n`.repeat(450_000) }))
    await expect(packed({ name: 'wordy' })).rejects.toMatchObject({ code: 'source_too_large' })
  }, 120_000)

  test('another server is not connected to, whatever a package names', async () => {
    await using other = await servePypi()
    await other.publish({ name: 'elsewhere', version: '1.0' })
    const address = new URL('../files/elsewhere-1.0-py3-none-any.whl', other.url).href
    await index.publish(program('reaches-out', { requires: [`elsewhere @ ${address}`] }))
    await expect(packed({ name: 'reaches-out' })).rejects.toMatchObject({ code: 'source_refused' })
    expect(other.asked).toEqual([])
  }, 60_000)

  test('nothing is ever built, not even from a folder of this machine', async () => {
    const source = await folder()
    const mark = join(source, 'was-run')
    await writeFile(join(source, 'backend.py'), `open(${JSON.stringify(mark)}, 'w')`)
    // Needs nothing that would have to be fetched first.
    await writeFile(
      join(source, 'pyproject.toml'),
      '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
    )
    await index.publish(program('builder', { requires: [`other @ file://${source}`] }))
    index.list('source-only', {
      filename: 'source_only-1.0.tar.gz',
      url: '../../files/x',
      hashes: { sha256: '0'.repeat(64) },
    })
    await expect(packed({ name: 'builder' })).rejects.toMatchObject({ code: 'source_refused' })
    await expect(packed({ name: 'source-only' })).rejects.toMatchObject({ code: 'source_refused' })
    await expect(access(mark)).rejects.toThrow('ENOENT')
  }, 60_000)

  test('more than it may be; nothing is left', async () => {
    await index.publish(
      { name: 'large-part', version: '1.0', files: { 'large.py': '#'.repeat(100_000) } },
      program('large', { requires: ['large-part'] }),
    )
    await using silent = await servePypi({ answer: () => true })
    const cases: [PypiOptions['limits'], string][] = [
      [{ packages: 1 }, index.url],
      [{ documents: 1 }, index.url],
      [{ documentBytes: 100 }, index.url],
      [{ fetchedBytes: 500 }, index.url],
      [{ unpackedBytes: 50_000 }, index.url],
      [{ files: 3 }, index.url],
      [{ time_ms: 50 }, silent.url],
    ]
    for (const [limits, url] of cases) {
      const made = await folder()
      await expect(packed({ name: 'large' }, { limits, index: { url }, folder: made })).rejects.toMatchObject({
        code: 'source_too_large',
      })
      expect(await readdir(made)).toEqual([])
    }
  }, 120_000)

  test('names and ranges that are none, and a machine without pip', async () => {
    for (const name of ['../x', '--index-url=http://x', 'a b', 'nobody-has-this'])
      await expect(packed({ name })).rejects.toMatchObject({
        code: expect.stringMatching(/^source_(?:not_found|refused)$/),
      })
    // Without an operator the second would be the end of another package's name.
    for (const range of ['; rm', '-evil', 'dev', 'vx', '.1'])
      await expect(packed({ name: 'ranged', range })).rejects.toMatchObject({ code: 'source_not_found' })
    for (const python of [null, '/bin/true'])
      await expect(packed({ name: 'ranged' }, { python })).rejects.toThrow('python3 and pip 23')
  }, 60_000)

  test('an index that speaks no JSON, and one that answers nothing right', async () => {
    await using html = await servePypi({
      answer(_request, response) {
        response.end('<a href="x-1.0-py3-none-any.whl">x</a>')
        return true
      },
    })
    await expect(packed({ name: 'x' }, { index: { url: html.url } })).rejects.toThrow('cannot be read')
    await using down = await servePypi({
      answer(_request, response) {
        response.writeHead(500).end()
        return true
      },
    })
    await expect(packed({ name: 'x' }, { index: { url: down.url } })).rejects.toThrow('answered 500')
  }, 60_000)

  test('stopping ends pip and leaves nothing', async () => {
    await using silent = await servePypi({ answer: () => true })
    const stop = new AbortController()
    const reason = new Error('stopped by the test')
    const made = await folder()
    const progress = (): void => stop.abort(reason)
    const work = packed({ name: 'x' }, { index: { url: silent.url }, folder: made, signal: stop.signal, progress })
    await expect(work).rejects.toBe(reason)
    expect(await readdir(made)).toEqual([])
  }, 60_000)
})
