import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { removeTree } from '../server/modules/bundle/archive/remove-tree.ts'
import { PACK_LIMITS } from '../server/modules/source/pack-limits.ts'
import { packPypi } from '../server/modules/source/pypi/pack-pypi.ts'
import { openPypiIndex } from '../server/modules/source/pypi/pypi-index.ts'
import { openWheelRelay } from '../server/modules/source/pypi/wheel-relay.ts'
import { servePypi } from './stage/pypi/pypi-index.ts'

describe('a wheel of which the index has sent half', () => {
  let index: Awaited<ReturnType<typeof servePypi>>
  let folder: string
  /** When half of it was sent, and when its connection was closed. */
  let sent: PromiseWithResolvers<void>
  let closed: PromiseWithResolvers<void>
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reeve-relay-'))
    sent = Promise.withResolvers()
    closed = Promise.withResolvers()
    index = await servePypi({
      answer({ url = '' }, response) {
        if (!url.startsWith('/files/')) return false
        response.once('close', closed.resolve)
        response.writeHead(200, { 'content-length': '2000' }).write(Buffer.alloc(1000), () => sent.resolve())
        return true
      },
    })
    await index.publish({ name: 'halved', version: '1.0' })
  })
  afterEach(async () => {
    await index[Symbol.asyncDispose]()
    await removeTree(folder)
  })

  test('is not waited for when somebody stops it', async () => {
    const stop = new AbortController()
    const reason = new Error('stopped by the test')
    const options = { index: { url: index.url }, python: '/usr/bin/python3', folder, signal: stop.signal }
    const ended = packPypi({ name: 'halved' }, options).catch((error: unknown) => error)
    await sent.promise
    stop.abort(reason)
    expect(await ended).toBe(reason)
    await closed.promise
  }, 60_000)

  test('is not waited for when pip has ended without it', async () => {
    await using own = openPypiIndex({ url: index.url })
    const { signal } = new AbortController()
    const relay = await openWheelRelay({ index: own, folder, limits: PACK_LIMITS, signal, projects: () => undefined })
    const project = new URL('halved/', relay.address)
    const { files } = (await (await fetch(project)).json()) as { files: { url: string }[] }
    const asked = fetch(new URL(files[0]!.url, project)).catch(() => null)
    await sent.promise
    await relay[Symbol.asyncDispose]()
    await closed.promise
    expect(await asked).toBeNull()
  }, 60_000)
})
