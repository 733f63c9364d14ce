import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ByteStore } from '../server/files/byte-store.ts'
import { openFolderStore } from '../server/files/folder-store.ts'
import { readS3Address } from '../server/files/s3/s3-address.ts'
import { openS3Store } from '../server/files/s3/s3-store.ts'
import { collect, pieces } from './stage/documents/files-fixture.ts'
import { S3_BUCKET, S3_KEYS, startS3Server } from './stage/servers/s3-server.ts'
import { expectedSignature, signatureOf } from './stage/servers/s3-signature.ts'

const MIB = 1024 * 1024
const TIMING = { attempts: 4, backoff_ms: 5, answer_ms: 2000, silence_ms: 2000, give_up_ms: 5000 }
const newId = (): string => `fil_${randomBytes(13).toString('hex')}`

let s3: Awaited<ReturnType<typeof startS3Server>>
beforeAll(async () => void (s3 = await startS3Server()))
afterAll(() => s3[Symbol.asyncDispose]())
let closing = new AsyncDisposableStack()
afterEach(async () => {
  await closing.disposeAsync()
  closing = new AsyncDisposableStack()
})

const addressOf = (url: string, prefix = randomBytes(6).toString('hex'), bucket = S3_BUCKET) =>
  readS3Address(`s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(url)}`, S3_KEYS)

async function inFolder(): Promise<ByteStore> {
  const root = await mkdtemp(join(tmpdir(), 'reeve-store-'))
  closing.defer(() => rm(root, { recursive: true }))
  return openFolderStore(root)
}
const inBucket = (): Promise<ByteStore> => openS3Store({ address: addressOf(s3.url), folder: 'files', timing: TIMING })

async function everything(store: ByteStore): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = null; ;) {
    const page = await store.list(cursor)
    ids.push(...page.objects.map(({ id }) => id))
    if (page.next === null) return ids.sort()
    cursor = page.next
  }
}

describe.each([
  ['a folder', inFolder],
  ['a bucket', inBucket],
])('bytes in %s', (_where, open) => {
  test.each([0, 1, 300_000, 8 * MIB, 8 * MIB + 1, 26 * MIB])('%i bytes come back as they went', async (size) => {
    const store = await open()
    const id = newId()
    const content = Buffer.alloc(size, randomBytes(1021))
    await store.write(id, pieces(content))
    expect(await store.size(id)).toBe(size)
    const back = createHash('sha256')
    for await (const piece of store.read(id)) back.update(piece)
    expect(back.digest('hex')).toBe(createHash('sha256').update(content).digest('hex'))
    expect(await everything(store)).toEqual([id])
    await store.remove(id)
    await store.remove(id)
    expect(await store.size(id)).toBeNull()
    expect(await everything(store)).toEqual([])
  })

  test('any part of it can be read', async () => {
    const store = await open()
    const id = newId()
    const content = randomBytes(700_000)
    await store.write(id, pieces(content))
    for (const [limit, from] of [
      [10, 0],
      [10, 500_000],
      [Infinity, 699_999],
      [Infinity, 700_000],
      [5, 700_001],
      [1_000_000, 300_000],
      [0, 5],
    ] as const) {
      const part = await collect(store.read(id, limit, from))
      expect([limit, from, part.equals(content.subarray(from, from + limit))]).toEqual([limit, from, true])
    }
    // A reader who stops early keeps nothing open.
    for await (const piece of store.read(id)) if (piece.byteLength > 0) break
  })

  test.each([100, 9 * MIB, 30 * MIB])('a source that fails after %i bytes leaves nothing', async (size) => {
    const store = await open()
    const id = newId()
    async function* breaks() {
      yield* pieces(Buffer.alloc(size))
      throw new Error('ECONNRESET')
    }
    await expect(store.write(id, breaks())).rejects.toThrow('ECONNRESET')
    expect(await store.size(id)).toBeNull()
    expect(await everything(store)).toEqual([])
  })

  test('there is nothing under other names', async () => {
    const store = await open()
    for (const id of ['', '..', '../../etc/passwd', 'fil_/../x', 'usr_00000000000000000000']) {
      await expect(store.write(id, pieces('x'))).rejects.toThrow('Not the id')
      await expect(store.size(id)).rejects.toThrow('Not the id')
      await expect(collect(store.read(id))).rejects.toThrow('Not the id')
      await expect(store.remove(id)).rejects.toThrow('Not the id')
    }
    await expect(collect(store.read(newId()))).rejects.toThrow(/ENOENT|404/)
    expect(await store.removeUnfinished(Date.now())).toBe(0)
  })
})

describe('a bucket', () => {
  /** A server that may answer instead of the real one; `false` lets it pass. */
  async function between(answer: (incoming: IncomingMessage, response: ServerResponse) => boolean) {
    const server = createServer((incoming, response) => {
      if (answer(incoming, response)) return void incoming.resume()
      const { host: _host, ...rest } = incoming.headers
      const url = new URL(incoming.url ?? '/', s3.url)
      // The signature is over the name that was asked for.
      const onward = request(url, { method: incoming.method, headers: { ...rest, host: incoming.headers.host } })
      onward.on('response', (back) => {
        response.writeHead(back.statusCode ?? 500, back.headers)
        back.pipe(response)
      })
      onward.on('error', () => response.destroy())
      incoming.pipe(onward)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    closing.defer(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  test('a store that is busy, silent or cut off for a moment is asked again', async () => {
    let asked = 0
    const url = await between((incoming, response) => {
      asked++
      if (asked % 3 === 1)
        return (response.writeHead(503, { 'retry-after': '1' }).end('<Error><Code>SlowDown</Code></Error>'), true)
      if (asked % 3 === 2) return (incoming.socket.destroy(), true)
      return false
    })
    const store = await openS3Store({ address: addressOf(url), folder: 'files', timing: TIMING })
    const id = newId()
    const content = randomBytes(9 * MIB)
    await store.write(id, pieces(content))
    expect((await collect(store.read(id))).equals(content)).toBe(true)
    expect(asked).toBeGreaterThan(9)
  })

  test('a read that breaks off goes on where it was', async () => {
    const address = addressOf(s3.url)
    const id = newId()
    const content = randomBytes(3 * MIB)
    await (await openS3Store({ address, folder: 'files', timing: TIMING })).write(id, pieces(content))
    const ranges: (string | undefined)[] = []
    const url = await between((incoming, response) => {
      if (!incoming.url?.includes(id)) return false
      ranges.push(incoming.headers.range)
      if (ranges.length > 1) return false
      response.writeHead(200, { 'content-length': content.length })
      response.write(content.subarray(0, MIB), () => response.destroy())
      return true
    })
    const store = await openS3Store({
      address: { ...address, endpoint: new URL(url) },
      folder: 'files',
      timing: TIMING,
    })
    expect((await collect(store.read(id))).equals(content)).toBe(true)
    expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d*-$/)])
  })

  test('a store that never answers ends the attempt', async () => {
    const url = await between((incoming) => !incoming.url?.includes('list-type'))
    // Long enough for what the store does answer, on a busy machine.
    const timing = { ...TIMING, attempts: 1, answer_ms: 1500 }
    const store = await openS3Store({ address: addressOf(url), folder: 'files', timing })
    await expect(store.size(newId())).rejects.toMatchObject({ name: 'S3Failure', status: 0 })
  })

  test('every request is signed, with the hash of what it carries', async () => {
    const seen: string[] = []
    const url = await between((incoming) => {
      const { method, headers } = incoming
      const body: Buffer[] = []
      incoming.on('data', (piece: Buffer) => body.push(piece))
      incoming.on('end', () => {
        const hash = createHash('sha256').update(Buffer.concat(body)).digest('hex')
        expect([method, headers['x-amz-content-sha256']]).toEqual([method, hash])
      })
      const keys = { secret: S3_KEYS.secret, region: 'us-east-1' }
      expect([method, signatureOf(incoming)]).toEqual([method, expectedSignature(incoming, keys)])
      seen.push(method ?? '')
      return false
    })
    const store = await openS3Store({ address: addressOf(url), folder: 'files', timing: TIMING })
    const id = newId()
    await store.write(id, pieces(randomBytes(9 * MIB)))
    await collect(store.read(id, 10, 5))
    await store.size(id)
    await store.removeUnfinished(0)
    await store.remove(id)
    expect([...new Set(seen)].sort()).toEqual(['DELETE', 'GET', 'HEAD', 'POST', 'PUT'])
  })

  test('uploads that died are aborted, young ones and those of others are not', async () => {
    const aborted: string[] = []
    const [old, young] = [newId(), newId()]
    const entry = (key: string, upload: string, at: number): string =>
      `<Upload><Key>${key}</Key><UploadId>${upload}&amp;1</UploadId><Initiated>${new Date(at).toISOString()}</Initiated></Upload>`
    const url = await between((incoming, response) => {
      const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://s3')
      if (incoming.method === 'DELETE') {
        aborted.push(`${pathname.split('/').at(-1)} ${searchParams.get('uploadId')}`)
        return (response.writeHead(204).end(), true)
      }
      if (!searchParams.has('uploads')) return false
      const prefix = searchParams.get('prefix') ?? ''
      const list = [
        entry(`${prefix}${old}`, 'a', 1000),
        entry(`${prefix}${young}`, 'b', 3000),
        entry(`${prefix}notes.txt`, 'c', 1000),
      ]
      response.end(`<?xml version="1.0"?><ListMultipartUploadsResult>${list.join('')}</ListMultipartUploadsResult>`)
      return true
    })
    const store = await openS3Store({ address: addressOf(url), folder: 'files', timing: TIMING })
    expect(await store.removeUnfinished(2000)).toBe(1)
    expect(aborted).toEqual([`${old} a&1`])
  })

  test('what is wrong is said in one sentence at the start', async () => {
    const open = (address: ReturnType<typeof addressOf>) => openS3Store({ address, folder: 'files', timing: TIMING })
    await expect(open(addressOf(s3.url, 'p', 'no-such-bucket'))).rejects.toThrow(
      `REEVE_FILES_URL: there is no bucket no-such-bucket at ${s3.url} (NoSuchBucket).`,
    )
    await expect(open({ ...addressOf(s3.url), accessKey: 'nobody' })).rejects.toThrow(/refuses these keys \(Inv/)
    await expect(open(addressOf('http://127.0.0.1:9'))).rejects.toThrow(/http:\/\/127\.0\.0\.1:9 does not answer/)
  })
})

describe('the address of a bucket', () => {
  const none = { access: '', secret: '' }
  test('has what it needs', () => {
    expect(readS3Address('s3://AK:s%2Fk@my-bucket/a/b/?region=eu-central-1', none)).toMatchObject({
      bucket: 'my-bucket',
      prefix: 'a/b/',
      region: 'eu-central-1',
      pathStyle: false,
      accessKey: 'AK',
      secretKey: 's/k',
      endpoint: new URL('https://s3.eu-central-1.amazonaws.com'),
    })
    expect(readS3Address('s3://my-bucket?endpoint=http://127.0.0.1:9000', S3_KEYS)).toMatchObject({
      prefix: '',
      region: 'us-east-1',
      pathStyle: true,
      accessKey: 'S3RVER',
    })
  })
  test.each([
    ['http://my-bucket', 's3://'],
    ['s3://', 's3://|bucket'],
    ['s3://a:b@My_Bucket', 'bucket'],
    ['s3://a:b@bucket/../x y', 'prefix'],
    ['s3://a:b@bucket?endpoint=example.com', 'endpoint'],
    ['s3://a:b@bucket?endpoint=https://example.com/path', 'endpoint'],
    ['s3://a:b@bucket?path_style=yes', 'path_style'],
    ['s3://a:b@bucket?acl=public', 'not acl'],
    ['s3://a:b@bucket?region=eu%0aX', 'region'],
    ['s3://bucket', 'REEVE_FILES_ACCESS_KEY'],
  ])('%s is refused', (text, why) => expect(() => readS3Address(text, none)).toThrow(new RegExp(why)))
})
