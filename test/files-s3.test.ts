import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { ConfigError } from '../server/app/config-error.ts'
import { readConfig } from '../server/app/config.ts'
import { S3Client, timingOf } from '../server/files/s3/s3-client.ts'
import { startTestApp } from './stage/app.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { S3_BUCKET, S3_KEYS, startS3Server } from './stage/servers/s3-server.ts'

let s3: Awaited<ReturnType<typeof startS3Server>>
beforeAll(async () => void (s3 = await startS3Server()))
afterAll(() => s3[Symbol.asyncDispose]())

const settings = (bucket = S3_BUCKET) => ({
  REEVE_FILES_URL: `s3://${bucket}/reeve?endpoint=${encodeURIComponent(s3.url)}`,
  REEVE_FILES_ACCESS_KEY: S3_KEYS.access,
  REEVE_FILES_SECRET_KEY: S3_KEYS.secret,
})

test('with a bucket, the bytes of files and modules are there and not in the data folder', async () => {
  await using app = await startTestApp({ env: settings() })
  const admin = await app.as('admin')
  const bytes = await sharp({ create: { width: 300, height: 200, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const { file } = await admin.call(contract.files.upload, { headers: { 'x-file-name': 'a.png' }, body: bytes })
  const get = (path: string, headers: Record<string, string> = {}) =>
    admin.fetch(`/api/files/${file.file_id}/${path}`, { headers })
  expect(Buffer.from(await (await get('download')).arrayBuffer()).equals(bytes)).toBe(true)
  const part = await get('preview', { range: 'bytes=5-9' })
  expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, bytes.subarray(5, 10)])
  const thumbnail = await get('preview?width=30')
  const { width, height } = await sharp(Buffer.from(await thumbnail.arrayBuffer())).metadata()
  expect([width, height]).toEqual([30, 20])
  const { module } = await install(admin, await makeBundle({ name: 'in-bucket' }))
  expect(module.name).toBe('in-bucket')

  const [folders, kept] = await Promise.all([readdir(app.dataFolder), listBucket()])
  expect(folders).not.toContain('files')
  const pictures = (await readdir(join(app.dataFolder, 'thumbnails'))).filter((name) => name.endsWith('.webp'))
  expect(pictures).toEqual([`${file.file_id}.30.webp`])
  expect(kept).toEqual([
    `reeve/files/${file.file_id}`,
    expect.stringMatching(/^reeve\/packages\/[0-9a-f]{64}-[0-9a-f]{16}$/),
  ])
})

async function listBucket(): Promise<string[]> {
  const address = readConfig(settings()).filesAddress!
  const { text } = await new S3Client(address, timingOf(address)).text({ method: 'GET', query: { 'list-type': '2' } })
  return [...text.matchAll(/<Key>([^<]*)/g)].map(([, key]) => key!).sort()
}

test('a bucket that is not there stops the start with one sentence', async () => {
  await expect(startTestApp({ env: settings('no-such-bucket') })).rejects.toThrow(
    `REEVE_FILES_URL: there is no bucket no-such-bucket at ${s3.url} (NoSuchBucket).`,
  )
})

test('settings that do not go together are refused, and the secret is in no message', () => {
  const refused = (env: Record<string, string>): string => {
    try {
      readConfig(env)
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError)
      return (error as Error).message
    }
    throw new Error('It was taken.')
  }
  expect(refused({ REEVE_FILES_SECRET_KEY: 'hush' })).toMatch(/REEVE_FILES_URL is not/)
  expect(refused({ REEVE_FILES_URL: 'https://example.com/' })).toMatch(/s3:\/\//)
  expect(refused({ REEVE_FILES_URL: 's3://bucket' })).toMatch(/REEVE_FILES_ACCESS_KEY/)
  for (const timeout of ['0', '601', '1.5', 'long', ''])
    expect(refused({ REEVE_FILES_URL: `s3://key:hush@bucket?timeout=${timeout}` })).toMatch(/from 1 to 600/)
  expect(readConfig({ REEVE_FILES_URL: 's3://key:hush@bucket?timeout=60' }).filesAddress!.timeout).toBe(60_000)
  const message = refused({ REEVE_FILES_URL: 's3://key:hush@bucket?endpoint=nowhere' })
  expect(message).toMatch(/^REEVE_FILES_URL is not usable: The endpoint/)
  expect(message).not.toContain('hush')
  expect(readConfig({}).filesAddress).toBeNull()
})
