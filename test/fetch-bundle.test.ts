import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type GuardedFetchOptions, openGuardedFetch } from '../server/kernel/network/guarded-fetch.ts'
import { removeTree } from '../server/modules/bundle/archive/remove-tree.ts'
import { fetchBundle, type FetchOptions } from '../server/modules/source/fetch-bundle.ts'

const made: AsyncDisposable[] = []
afterAll(async () => {
  for (const one of made) await one[Symbol.asyncDispose]()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  made.push({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** As it is in use, but for this machine, which has no certificate. */
const local = (options: GuardedFetchOptions) => openGuardedFetch({ ...options, allowPrivate: true, httpsOnly: false })

async function fetched(url: string, options: Partial<FetchOptions> = {}, sha256?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-fetch-'))
  made.push({ [Symbol.asyncDispose]: () => removeTree(folder) })
  const { signal } = new AbortController()
  return fetchBundle({ url, sha256 }, { folder, maxBytes: 1000, signal, open: local, ...options })
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

test('what comes is written down, and compared with its digest if there is one', async () => {
  const url = `${await serve((_request, response) => void response.end('bundle'))}/a/name.mcpb?key=1`
  const { file, name } = await fetched(url, {}, digest('bundle'))
  expect(name).toBe('name.mcpb')
  expect(await readFile(file, 'utf8')).toBe('bundle')
  await expect(fetched(url, {}, digest('another'))).rejects.toMatchObject({ code: 'source_refused' })
})

test('the limit of its size is the one that is given', async () => {
  const url = await serve((_request, response) => void response.end('x'.repeat(2000)))
  await expect(fetched(url)).rejects.toMatchObject({ code: 'source_too_large' })
  await expect(fetched(url, { maxBytes: 2000 })).resolves.toMatchObject({ name: 'fetched.mcpb' })
})

test('one that never ends is given up', async () => {
  const url = await serve((_request, response) => void response.write('x'))
  await expect(fetched(url, { time_ms: 200 })).rejects.toMatchObject({ code: 'source_unreachable' })
})

test('plain http is refused, and so is this machine', async () => {
  const url = await serve((_request, response) => void response.end('bundle'))
  const refused = fetched(url, { open: (options) => openGuardedFetch({ ...options, allowPrivate: true }) })
  await expect(refused).rejects.toMatchObject({
    code: 'source_unreachable',
    message: expect.stringMatching(/plain http/) as unknown,
  })
  await expect(fetched(url.replace('http:', 'https:'), { open: openGuardedFetch })).rejects.toMatchObject({
    code: 'source_unreachable',
    message: expect.stringMatching(/private network/) as unknown,
  })
})
