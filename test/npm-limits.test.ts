import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unpackBundle } from '../server/modules/bundle/archive/unpack-bundle.ts'
import { bundleOrigin } from '../server/modules/bundle/manifest/bundle-origin.ts'
import { openNpmRegistry } from '../server/modules/source/npm/npm-registry.ts'
import { type PackOptions } from '../server/modules/source/npm/pack-npm.ts'
import { readPackageDocument } from '../server/modules/source/npm/package-document.ts'
import { unpackPackage } from '../server/modules/source/npm/unpack-package.ts'
import { type MadePackage, serveNpm } from './stage/npm/npm-registry.ts'
import { openNpmStage } from './stage/npm/npm-stage.ts'

let stage: Awaited<ReturnType<typeof openNpmStage>>
beforeAll(async () => {
  stage = await openNpmStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

function server(name: string, version: string, about: Record<string, unknown> = {}): MadePackage {
  const entries = [{ name: 'main.js', content: '#!/usr/bin/env node\n' }]
  return { name, version, entries, about: { bin: { [name]: './main.js' }, ...about } }
}

test('more descriptions than are asked for, and larger ones', async () => {
  const parts = Array.from({ length: 40 }, (_each, index) => `part-${index}`)
  stage.registry.publish(
    ...parts.map((name) => ({ name, version: '1.0.0' })),
    server('many-parts', '1.0.0', { dependencies: Object.fromEntries(parts.map((name) => [name, '1'])) }),
  )
  const refused = async (limits: PackOptions['limits']) => {
    stage.registry.asked.length = 0
    await expect(stage.packed({ name: 'many-parts' }, { limits })).rejects.toMatchObject({ code: 'source_too_large' })
    return stage.registry.asked.length
  }
  expect(await refused({ documents: 10 })).toBeLessThanOrEqual(10)
  // Those that are under way when there is too much still come.
  expect(await refused({ documentBytes: 1500 })).toBeLessThan(30)
})

test('descriptions that have no end are given up as soon as they are too much together', async () => {
  const parts = Array.from({ length: 8 }, (_each, index) => `endless-${index}`)
  const closed: Promise<unknown>[] = []
  await using endless = await serveNpm({
    answer(request, response) {
      if (!request.url!.startsWith('/endless')) return false
      closed.push(once(response, 'close'))
      response.writeHead(200).write('x'.repeat(1000))
      return true
    },
  })
  const dependencies = Object.fromEntries(parts.map((name) => [name, '1']))
  endless.publish(server('starts-endless', '1.0.0', { dependencies }))
  const options = { registry: { url: endless.url }, limits: { documentBytes: 5000 } }
  await expect(stage.packed({ name: 'starts-endless' }, options)).rejects.toMatchObject({ code: 'source_too_large' })
  expect(closed.length).toBeGreaterThan(3)
  await Promise.all(closed)
})

test('of a description nothing is kept but what is needed', () => {
  const dist = { tarball: 'https://x.example/a.tgz', integrity: 'sha512-x', fileCount: 3 }
  const version = { name: 'a', version: '1.0.0', dependencies: { b: '1' }, readme: 'long', dist }
  const document = readPackageDocument('a', { readme: 'long', versions: { '1.0.0': version } })
  expect(document?.versions.get('1.0.0')).toEqual({
    name: 'a',
    version: '1.0.0',
    dependencies: { b: '1' },
    dist: { tarball: dist.tarball, integrity: dist.integrity },
  })
})

test('not all are asked for at the same time', async () => {
  const parts = Array.from({ length: 60 }, (_each, index) => `one-of-${index}`)
  let open = 0
  let most = 0
  await using counting = await serveNpm({
    answer(_request, response) {
      most = Math.max(most, ++open)
      response.once('close', () => open--)
      return false
    },
  })
  counting.publish(
    ...parts.map((name) => ({ name, version: '1.0.0' })),
    server('counted', '1.0.0', { dependencies: Object.fromEntries(parts.map((name) => [name, '1'])) }),
  )
  const { lock } = await stage.packed({ name: 'counted' }, { registry: { url: counting.url } })
  expect(lock.packages).toHaveLength(61)
  expect(most).toBeLessThanOrEqual(16)
})

test('an answer that breaks off, of a description and of an archive', async () => {
  for (const part of ['/broken', '/-/']) {
    await using breaking = await serveNpm({
      answer(request, response) {
        if (!request.url!.includes(part)) return false
        response.writeHead(200, { 'content-length': 1000 }).write('{', () => response.destroy())
        return true
      },
    })
    breaking.publish(server('broken', '1.0.0'))
    await expect(stage.packed({ name: 'broken' }, { registry: { url: breaking.url } })).rejects.toMatchObject({
      code: 'source_unreachable',
      message: expect.stringMatching(/broke off/) as unknown,
    })
  }
})

test('an archive for which there is no room says so, and is not called damaged', async () => {
  stage.registry.publish(server('roomy', '1.0.0'))
  const made = await stage.folder()
  const archive = join(made, 'a.tgz')
  await using npm = openNpmRegistry({ url: stage.registry.url })
  const { signal } = new AbortController()
  const version = (await npm.document('roomy', { signal })).versions.get('1.0.0')!
  const { tarball, integrity = '' } = version.dist
  const full = (): never => {
    throw Object.assign(new Error('write'), { code: 'ENOSPC' })
  }
  await expect(
    npm.archive({ name: 'roomy', tarball, integrity }, archive, { signal, take: full }),
  ).rejects.toMatchObject({ code: 'storage_full' })
  await npm.archive({ name: 'roomy', tarball, integrity }, join(made, 'b.tgz'), { signal, take: () => undefined })
  await expect(
    unpackPackage(join(made, 'b.tgz'), join(made, 'out'), {
      name: 'roomy',
      budget: { bytes: () => undefined, file: full },
      signal,
    }),
  ).rejects.toMatchObject({ code: 'storage_full' })
})

test('long lists of what was left out do not hide where a bundle came from', async () => {
  const optionalDependencies = Object.fromEntries(
    Array.from({ length: 3000 }, (_each, index) => [`left-${index}`, `git+https://example.com/${'x'.repeat(500)}`]),
  )
  stage.registry.publish(server('long-list', '1.0.0', { optionalDependencies }))
  const { file } = await stage.packed({ name: 'long-list' })
  const { manifest } = await unpackBundle(file, await stage.folder())
  expect(bundleOrigin(manifest)?.left_out).toHaveLength(1000)
})
