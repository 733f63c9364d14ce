import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unpackBundle } from '../server/modules/bundle/archive/unpack-bundle.ts'
import { reviewBundle } from '../server/modules/bundle/review/review-bundle.ts'
import { packNpm, type PackOptions } from '../server/modules/source/npm/pack-npm.ts'
import { type MadePackage, serveNpm } from './stage/npm/npm-registry.ts'
import { openNpmStage } from './stage/npm/npm-stage.ts'

let stage: Awaited<ReturnType<typeof openNpmStage>>
beforeAll(async () => {
  stage = await openNpmStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const PROGRAM = '#!/usr/bin/env node\nconsole.log(1)\n'
function server(name: string, version: string, more: Partial<MadePackage> = {}): MadePackage {
  return {
    name,
    version,
    entries: [{ name: 'main.js', content: PROGRAM }],
    ...more,
    about: { bin: { [name]: './main.js' }, ...more.about },
  }
}

describe('a package becomes a bundle', () => {
  test('a real server with all that it needs; the same packages give the same bytes', async () => {
    const steps: string[] = []
    const one = await stage.packed(
      { name: '@modelcontextprotocol/server-everything', args: ['stdio'] },
      { progress: ({ step }) => void steps.push(step) },
    )
    const two = await stage.packed({ name: '@modelcontextprotocol/server-everything', args: ['stdio'] })
    expect(two.digest).toBe(one.digest)
    expect(new Set(steps)).toEqual(new Set(['resolving', 'fetching', 'packing']))
    expect(one.lock.packages[0]).toMatchObject({ path: 'node_modules/@modelcontextprotocol/server-everything' })
    expect(one.lock.packages.every(({ integrity }) => integrity.startsWith('sha512-'))).toBe(true)
    const tree = await stage.folder()
    const bundle = await unpackBundle(one.file, tree)
    expect(bundle.slug).toBe('modelcontextprotocol-server-everything')
    expect(JSON.parse(await readFile(join(tree, 'reeve-lock.json'), 'utf8'))).toEqual(one.lock)
    const review = reviewBundle(bundle)
    expect(review.command).toBe('node')
    expect(review.warnings.filter(({ level }) => level === 'danger')).toEqual([])
  }, 120_000)

  test('nothing but the bundle is left in the folder, and after a failure nothing', async () => {
    stage.registry.publish(server('tidy', '1.0.0'))
    const good = await stage.folder()
    await packNpm({ name: 'tidy' }, { registry: { url: stage.registry.url }, folder: good })
    expect(await readdir(good)).toEqual(['bundle.mcpb'])
    const bad = await stage.folder()
    await expect(
      packNpm({ name: 'tidy', range: '^2' }, { registry: { url: stage.registry.url }, folder: bad }),
    ).rejects.toMatchObject({ code: 'source_not_found' })
    expect(await readdir(bad)).toEqual([])
  })

  test('versions that exclude each other lie with the packages that want them', async () => {
    stage.registry.publish(
      { name: 'shared', version: '1.5.0' },
      { name: 'shared', version: '2.0.0' },
      { name: 'old', version: '1.0.0', about: { dependencies: { shared: '^1' } } },
      { name: 'with-peer', version: '1.0.0', about: { peerDependencies: { shared: '>=2' } } },
      server('app', '1.0.0', { about: { dependencies: { old: '*', shared: '^2', 'with-peer': '1' } } }),
    )
    const { lock } = await stage.packed({ name: 'app' })
    expect(lock.packages.map(({ path, version }) => `${path} ${version}`)).toEqual([
      'node_modules/app 1.0.0',
      'node_modules/old 1.0.0',
      'node_modules/shared 2.0.0',
      'node_modules/with-peer 1.0.0',
      'node_modules/old/node_modules/shared 1.5.0',
    ])
  })

  test('packages that need one another in a circle end', async () => {
    stage.registry.publish(
      server('ring', '1.0.0', { about: { dependencies: { 'ring-b': '1' } } }),
      { name: 'ring-b', version: '1.0.0', about: { dependencies: { ring: '1' } } },
      // Each needs the other version of the other one, so every level excludes the one before.
      { name: 'spiral-a', version: '1.0.0', about: { dependencies: { 'spiral-b': '1' } } },
      { name: 'spiral-a', version: '2.0.0', about: { dependencies: { 'spiral-b': '2' } } },
      { name: 'spiral-b', version: '1.0.0', about: { dependencies: { 'spiral-a': '2' } } },
      { name: 'spiral-b', version: '2.0.0', about: { dependencies: { 'spiral-a': '1' } } },
      server('spiral', '1.0.0', { about: { dependencies: { 'spiral-a': '1' } } }),
    )
    expect((await stage.packed({ name: 'ring' })).lock.packages).toHaveLength(2)
    await expect(stage.packed({ name: 'spiral' })).rejects.toMatchObject({ code: 'source_too_large' })
  })

  test('scripts are named and not run; what is optional and not for this machine is left out', async () => {
    stage.registry.publish(
      { name: 'native', version: '1.0.0', about: { scripts: { postinstall: 'node build.js' } } },
      { name: 'elsewhere', version: '1.0.0', about: { os: ['none'] } },
      server('needs-native', '1.0.0', {
        about: { dependencies: { native: '1' }, optionalDependencies: { elsewhere: '1', gone: '1' } },
      }),
    )
    const { file, lock } = await stage.packed({ name: 'needs-native' })
    expect(lock.packages.map(({ name, scripts }) => [name, scripts])).toEqual([
      ['needs-native', undefined],
      ['native', ['postinstall']],
    ])
    const bundle = await unpackBundle(file, await stage.folder())
    const warning = reviewBundle(bundle).warnings.find(({ code }) => code === 'scripts_not_run')
    expect(warning?.message).toContain('native@1.0.0')
  })

  test('variables become settings; none of their values is in the bundle', async () => {
    stage.registry.publish(server('keyed', '1.0.0'))
    const settings = { API_TOKEN: { sensitive: true, required: true } }
    const { file } = await stage.packed({ name: 'keyed', settings, args: ['--quick'] })
    const { manifest } = await unpackBundle(file, await stage.folder())
    expect(manifest.server.mcp_config?.env).toEqual({ API_TOKEN: '${user_config.API_TOKEN}' })
    expect(manifest.server.mcp_config?.args?.at(-1)).toBe('--quick')
    expect(manifest.user_config?.['API_TOKEN']).toMatchObject({ sensitive: true, required: true })
  })

  test('the token goes to the mirror, and archives named at the registry it mirrors are with the mirror', async () => {
    stage.registry.publish(
      server('mirrored', '1.0.0', { dist: { tarball: 'https://packages.example/mirrored/-/1.0.0.tgz' } }),
    )
    stage.registry.asked.length = 0
    await stage.packed({ name: 'mirrored' }, { registry: { url: stage.registry.url, token: 'let-me-in' } })
    expect(stage.registry.asked.map(({ path }) => path)).toEqual(['/mirrored', '/mirrored/-/1.0.0.tgz'])
    expect(new Set(stage.registry.asked.map(({ authorization }) => authorization))).toEqual(
      new Set(['Bearer let-me-in']),
    )
  })
})

describe('what is refused', () => {
  const link = { name: 'evil', type: 'symlink' as const, linkname: '/etc/passwd' }
  test.each<[string, Partial<MadePackage>, string]>([
    [
      'another digest',
      { dist: { integrity: `sha512-${Buffer.alloc(64).toString('base64')}` } },
      'not what its digest says',
    ],
    ['no digest', { dist: { integrity: undefined } }, 'no digest'],
    ['a weak digest', { dist: { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' } }, 'no digest'],
    ['a path out of the package', { entries: [{ name: '../../evil.js' }] }, 'leads out'],
    ['an absolute path', { entries: [{ name: '//etc/evil' }] }, 'absolute'],
    ['a symbolic link', { entries: [link] }, 'is a symbolic link'],
    ['a hard link', { entries: [{ ...link, type: 'link' }] }, 'neither a file nor a folder'],
    ['a device', { entries: [{ name: 'dev', type: 'character-device' }] }, 'neither a file nor a folder'],
    ['a program that leads out', { about: { bin: '../../../bin/sh' } }, 'not in the package'],
    ['a program that is not there', { about: { bin: './none.js' } }, 'not in the package'],
    ['no program', { about: { bin: undefined } }, 'no program'],
    ['a shell script', { entries: [{ name: 'main.js', content: '#!/bin/sh\n' }] }, 'not one for Node'],
    [
      'a dependency from a repository',
      { about: { dependencies: { x: 'git+https://example.com/x.git' } } },
      'only packages of a registry',
    ],
    ['a dependency of an impossible name', { about: { dependencies: { '../x': '1' } } }, 'only packages of a registry'],
    ['another package under its name', { said: { name: 'someone-else' } }, 'no version'],
  ])('%s', async (_what, more, words) => {
    stage.registry.publish(server('hostile', '1.0.0', more))
    await expect(stage.packed({ name: 'hostile' })).rejects.toThrow(words)
  })

  test('too many, too large, too many files, too late', async () => {
    const content = Buffer.alloc(2_000_000)
    stage.registry.publish(
      { name: 'part', version: '1.0.0' },
      server('large', '1.0.0', {
        about: { dependencies: { part: '1' } },
        entries: [
          { name: 'main.js', content: PROGRAM },
          { name: 'zeros', content },
        ],
      }),
    )
    const refused = (limits: PackOptions['limits']) =>
      expect(stage.packed({ name: 'large' }, { limits })).rejects.toMatchObject({ code: 'source_too_large' })
    await refused({ packages: 1 })
    await refused({ unpackedBytes: 1_000_000 })
    await refused({ fetchedBytes: 1000 })
    await refused({ files: 2 })
    await using silent = await serveNpm({ answer: () => true })
    await expect(
      stage.packed({ name: 'large' }, { limits: { time_ms: 50 }, registry: { url: silent.url } }),
    ).rejects.toMatchObject({ code: 'source_too_large' })
  })

  test('a redirect into a private network, and an archive there', async () => {
    await using hidden = await serveNpm()
    hidden.publish(server('moved', '1.0.0'))
    await using moving = await serveNpm({
      answer(request, response) {
        response.writeHead(302, { location: new URL(request.url!, hidden.url).href }).end()
        return true
      },
    })
    await expect(stage.packed({ name: 'moved' }, { registry: { url: moving.url } })).rejects.toMatchObject({
      code: 'source_unreachable',
    })
    stage.registry.publish(server('moved', '1.0.0', { dist: { tarball: `${hidden.url}moved/-/1.0.0.tgz` } }))
    await expect(stage.packed({ name: 'moved' })).rejects.toMatchObject({ code: 'source_unreachable' })
    expect(hidden.asked).toEqual([])
  })

  test('a name that is none, and one that nobody has', async () => {
    await expect(stage.packed({ name: '../../etc' })).rejects.toMatchObject({ code: 'source_not_found' })
    await expect(stage.packed({ name: 'nobody-has-this' })).rejects.toMatchObject({ code: 'source_not_found' })
  })

  test('stopping ends it and leaves nothing', async () => {
    stage.registry.publish(server('stopped', '1.0.0'))
    const stop = new AbortController()
    const made = await stage.folder()
    const reason = new Error('stopped by the test')
    const work = packNpm(
      { name: 'stopped' },
      { registry: { url: stage.registry.url }, folder: made, signal: stop.signal, progress: () => stop.abort(reason) },
    )
    await expect(work).rejects.toBe(reason)
    expect(await readdir(made)).toEqual([])
  })
})
