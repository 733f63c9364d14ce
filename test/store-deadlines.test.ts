import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { ProblemAnswer, type TestClient } from './stage/client.ts'
import { S3_BUCKET, S3_KEYS, startS3Server } from './stage/servers/s3-server.ts'
import { type Fate, openStoreProxy, type StoreProxy } from './stage/servers/store-proxy.ts'

const { files } = contract
/** With the timeout of two seconds: much slower than needed to pass it, and far from silent. */
const SLOW: Fate = { slow: 400_000 }
const PICTURE = randomBytes(1_000_000)
const TOKEN = 'a-collector-with-a-token'

const closing = new AsyncDisposableStack()
let store: StoreProxy
let app: TestApp
let admin: TestClient
beforeAll(async () => {
  const s3 = closing.use(await startS3Server())
  store = closing.use(await openStoreProxy(s3.url))
  app = closing.use(
    await startTestApp({
      env: {
        REEVE_FILES_URL: `s3://${S3_BUCKET}/reeve?timeout=2&endpoint=${encodeURIComponent(store.url)}`,
        REEVE_FILES_ACCESS_KEY: S3_KEYS.access,
        REEVE_FILES_SECRET_KEY: S3_KEYS.secret,
        REEVE_METRICS_TOKEN: TOKEN,
      },
    }),
  )
  admin = await app.as('admin')
})
afterAll(() => closing.disposeAsync())

const upload = async (body: Buffer) => {
  const { file } = await admin.call(files.upload, { headers: { 'x-file-name': 'a.bin' }, body: new Uint8Array(body) })
  return file.file_id
}
const download = (file_id: string) => admin.call(files.download, { params: { file_id } })
const readyz = () => fetch(`${app.url}/readyz`, { headers: { authorization: `Bearer ${TOKEN}` } })

test('a store that takes bytes and says nothing: uploads are refused for now, and the service is not ready', async () => {
  store.meet = () => 'silent'
  const [refused, ready] = await Promise.all([upload(randomBytes(10_000)).catch((error: unknown) => error), readyz()])
  expect(refused).toBeInstanceOf(ProblemAnswer)
  const { status, code, response } = refused as ProblemAnswer
  expect([status, code]).toEqual([503, 'storage_unavailable'])
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(ready.status).toBe(503)
  expect(await ready.json()).toMatchObject({
    code: 'not_ready',
    detail: 'The file store does not answer.',
    checks: { database: 'ok', store: 'failed' },
  })
  store.meet = () => 'pass'
  expect((await readyz()).status).toBe(200)
  expect((await admin.call(files.list)).items).toEqual([])
})

test('a download that stalls in the middle ends broken, and is not taken for a whole one', async () => {
  const file_id = await upload(PICTURE)
  store.meet = ({ method }) => (method === 'GET' ? 'stall' : 'pass')
  const answer = await download(file_id)
  expect([answer.status, Number(answer.headers.get('content-length'))]).toEqual([200, PICTURE.byteLength])
  await expect(answer.arrayBuffer()).rejects.toThrow('terminated')
  store.meet = () => 'pass'
  expect(Buffer.from(await (await download(file_id)).arrayBuffer()).equals(PICTURE)).toBe(true)
})

test('a transfer that is slow, longer than the timeout, and never silent, is whole', async () => {
  store.meet = ({ method, size }) => (method === 'GET' || size === PICTURE.byteLength ? SLOW : 'pass')
  const other = randomBytes(PICTURE.byteLength)
  const began = performance.now()
  const file_id = await upload(other)
  const halfway = performance.now()
  const answer = await download(file_id)
  expect(Buffer.from(await answer.arrayBuffer()).equals(other)).toBe(true)
  // Otherwise this has tested nothing.
  expect(halfway - began).toBeGreaterThan(2000)
  expect(performance.now() - halfway).toBeGreaterThan(2000)
  store.meet = () => 'pass'
})
