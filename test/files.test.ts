import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { OpenFilesOptions } from '../server/files/open-files.ts'
import { AppError } from '../server/kernel/app-error.ts'
import { ANNA, BORIS, collect, pieces, startFiles } from './stage/documents/files-fixture.ts'
import { databases } from './stage/servers/postgres.ts'

const DAY_MS = 24 * 60 * 60_000

let closing = new AsyncDisposableStack()
afterEach(async () => {
  await closing.disposeAsync()
  closing = new AsyncDisposableStack()
})

describe.each(databases)('stored files on $name', (testDatabase) => {
  const start = (options: Partial<OpenFilesOptions> = {}) => startFiles(closing, testDatabase, options)

  test('a file goes in and comes out, with its bytes, its label and its event', async () => {
    const { files, created, stored, database } = await start()
    const content = Buffer.from('день;сумма\n1;2\n'.repeat(100_000))
    const entry = await files.put({
      user_id: ANNA,
      name: ' Отчёт.CSV ',
      bytes: pieces(content),
      kind: 'generated',
      run_id: 'run_1',
    })
    expect(entry).toMatchObject({ name: 'Отчёт.CSV', extension: 'csv', media_type: 'text/csv', size: content.length })
    expect(created).toEqual([
      { user_id: ANNA, file_id: entry.file_id, name: 'Отчёт.CSV', kind: 'generated', run_id: 'run_1' },
    ])
    const answer = await files.open(ANNA, entry.file_id)
    expect(answer).toMatchObject({ name: 'Отчёт.CSV', media_type: 'text/csv', size: content.length })
    expect(content.equals(await collect(answer.stream))).toBe(true)
    const [path] = await stored()
    expect(path!.endsWith(join('files', entry.file_id.slice(-2), entry.file_id))).toBe(true)
    expect((await stat(path!)).mode & 0o777).toBe(0o600)
    expect((await stat(join(path!, '../..'))).mode & 0o777).toBe(0o700)
    const row = await database.read.selectFrom('file').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ sha256: createHash('sha256').update(content).digest('hex'), name_folded: 'отчет.csv' })
  })

  test('two uploads of the same content are two files, and one outlives the other', async () => {
    const { files, put, stored } = await start()
    const [one, two] = await Promise.all([put('a.txt', 'same'), put('a.txt', 'same')])
    expect(one.file_id).not.toBe(two.file_id)
    await files.purge(ANNA, [one.file_id], [])
    expect(String(await collect((await files.open(ANNA, two.file_id)).stream))).toBe('same')
    expect(await stored()).toHaveLength(1)
    await files.purge(ANNA, [two.file_id], [])
    expect(await stored()).toEqual([])
  })

  test("somebody else's file is not found, exactly like none at all", async () => {
    const { files, put, stored, attachments } = await start()
    const { file_id } = await put('secret.txt', 'secret', BORIS)
    for (const id of [file_id, 'fil_none', '../../etc/passwd', 'fil_\0', '%']) {
      const refused: (() => Promise<unknown>)[] = [
        () => files.entry(ANNA, id),
        () => files.open(ANNA, id),
        () => files.remove(ANNA, id),
        () => files.restore(ANNA, id),
        () => files.locate(ANNA, id),
        () => files.head(ANNA, id, 10),
        () => attachments.entries(ANNA, [id]),
        () => attachments.read(ANNA, id, 10),
      ]
      for (const attempt of refused)
        await expect(attempt()).rejects.toMatchObject({ code: 'not_found', message: 'There is no such file.' })
    }
    const mine = await put('mine.txt')
    await expect(attachments.entries(ANNA, [mine.file_id, file_id])).rejects.toMatchObject({ code: 'not_found' })
    expect((await files.list(ANNA, { limit: 10 })).items).toEqual([mine])
    expect(await stored()).toHaveLength(2)
  })

  test('the list goes page by page, newest first', async () => {
    const { files, put, attachments } = await start()
    const made: string[] = []
    for (let i = 0; i < 5; i++) made.unshift((await put(`${i}.txt`)).file_id)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await files.list(ANNA, { limit: 2, cursor })
      seen.push(...page.items.map((item) => item.file_id))
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
    expect(seen).toEqual(made)
    await expect(files.list(ANNA, { limit: 2, cursor: "'; drop" })).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await attachments.entries(ANNA, [made[3]!, made[0]!, made[3]!])).toMatchObject([
      { file_id: made[3] },
      { file_id: made[0] },
      { file_id: made[3] },
    ])
  })

  test('a file over the limit and an upload that breaks leave nothing', async () => {
    const { files, put, nothingLeft } = await start({ sizeLimit: 1000 })
    await expect(put('a.txt', 'x'.repeat(1001))).rejects.toMatchObject({ code: 'payload_too_large' })
    await expect(put('../a.txt')).rejects.toMatchObject({ code: 'bad_file_name' })
    async function* breaks() {
      yield Buffer.from('half')
      throw new Error('ECONNRESET')
    }
    await expect(files.put({ user_id: ANNA, name: 'a', bytes: breaks() })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    const gone = AbortSignal.abort()
    await expect(files.put({ user_id: ANNA, name: 'a', bytes: pieces('x'), signal: gone })).rejects.toBeInstanceOf(
      AppError,
    )
    await nothingLeft()
    expect((await put('a.txt', 'x'.repeat(1000))).size).toBe(1000)
  })

  test('a failing event leaves neither row nor bytes', async () => {
    const { put, stored, files } = await start({ onCreated: () => Promise.reject(new Error('full')) })
    await expect(put('a.txt')).rejects.toThrow('full')
    expect(await stored()).toEqual([])
    expect((await files.list(ANNA, { limit: 1 })).items).toEqual([])
  })

  test('the quota holds for each user, for many uploads at once, and is freed again', async () => {
    const { files, put, stored } = await start({ quota: 1000 })
    const attempts = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) => put(`${i}.txt`, String(i).repeat(300))),
    )
    const kept = attempts.filter((attempt) => attempt.status === 'fulfilled')
    expect(kept.length).toBeLessThanOrEqual(3)
    const reasons = attempts
      .filter((attempt) => attempt.status === 'rejected')
      .map((attempt) => attempt.reason as AppError)
    expect(new Set(reasons.map((reason) => reason.code))).toEqual(new Set(['quota_exceeded']))
    expect(await stored()).toHaveLength(kept.length)
    await put('other.txt', 'x'.repeat(1000), BORIS)
    await files.eraseAll(ANNA)
    const { file_id } = await put('all.txt', 'x'.repeat(1000))
    await expect(put('more.txt', 'x')).rejects.toMatchObject({ code: 'quota_exceeded' })
    await files.remove(ANNA, file_id)
    await expect(put('again.txt', 'x'.repeat(1000))).rejects.toMatchObject({ code: 'quota_exceeded' })
    await files.purge(ANNA, [file_id], [])
    await put('again.txt', 'x'.repeat(1000))
  })

  test('a user is purged with the bytes, others stay', async () => {
    const { files, put, stored } = await start()
    for (let i = 0; i < 3; i++) await put(`${i}.txt`, String(i))
    const kept = await put('b.txt', '1', BORIS)
    await files.eraseAll(ANNA)
    expect(await stored()).toEqual([expect.stringContaining(kept.file_id)])
  })

  test('the sweep removes old bytes without a row and nothing else', async () => {
    const { folder, put, stored, sweep } = await start()
    const kept = await put('kept.txt')
    const young = join(folder, 'files', 'zz', 'fil_00000000000000000000000000zz')
    const orphan = join(folder, 'files', 'zz', 'fil_00000000000000000000000001zz')
    const half = join(folder, 'files', 'unfinished', 'fil_00000000000000000000000002zz.0')
    const foreign = join(folder, 'files', 'zz', 'notes.txt')
    await mkdir(join(young, '..'), { recursive: true })
    for (const path of [young, orphan, half, foreign]) await writeFile(path, 'x')
    const old = new Date(Date.now() - 2 * DAY_MS)
    const keptPath = join(folder, 'files', kept.file_id.slice(-2), kept.file_id)
    for (const path of [orphan, half, foreign, keptPath]) await utimes(path, old, old)
    expect(await sweep()).toEqual({ purged: 0, removed: 1 })
    expect((await stored()).sort()).toEqual([keptPath, young, foreign].sort())
    expect(await sweep()).toEqual({ purged: 0, removed: 0 })
  })

  test('bytes that the store lost are an error, never another answer', async () => {
    const { files, put, stored, attachments } = await start()
    const { file_id } = await put('a.txt', 'hello')
    const [path] = await stored()
    await writeFile(path!, 'hell')
    await expect(files.open(ANNA, file_id)).rejects.toThrow('4 bytes instead of 5')
    await rm(path!)
    await expect(files.open(ANNA, file_id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await attachments.read(ANNA, file_id, 10)).toMatchObject({ text: null, parsing: { status: 'failed' } })
    await files.remove(ANNA, file_id)
  })

  test('a model gets text as text, pictures as pictures, and a reason for the rest', async () => {
    const { put, attachments } = await start()
    const read = async (name: string, content: string | Uint8Array, max = 1000) =>
      attachments.read(ANNA, (await put(name, content)).file_id, max)
    expect(await read('a.csv', Buffer.from('\ufeffдень\n1', 'utf16le'))).toMatchObject({
      text: 'день\n1',
      truncated: false,
      image: null,
      parsing: { parser: 'text', status: 'parsed', characters: 6 },
    })
    expect(await read('Dockerfile', 'FROM scratch')).toMatchObject({ text: 'FROM scratch' })
    expect(await read('a.txt', '')).toMatchObject({ text: '', truncated: false, parsing: { status: 'parsed' } })
    const cut = await read('a.md', 'ab😀😀', 3)
    expect(cut).toMatchObject({ text: 'ab', truncated: true, parsing: { status: 'partial', characters: 2 } })
    expect(await read('a.log', '€'.repeat(3_000_000), 1_000_000)).toMatchObject({
      truncated: true,
      text: '€'.repeat(1_000_000),
    })
    expect(await read('a.txt', 'abc', 3)).toMatchObject({ truncated: false, text: 'abc' })
    expect(await read('a.txt', 'abc', 0)).toMatchObject({ truncated: true, text: '' })

    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    const image = await read('picture.jpg', png)
    expect(image).toMatchObject({
      text: null,
      image: { media_type: 'image/png' },
      parsing: { parser: 'image', status: 'parsed' },
    })
    expect(Buffer.from(image.image!.data)).toEqual(png)
    const huge = Buffer.concat([png, Buffer.alloc(10 * 1024 * 1024)])
    expect(await read('huge.png', huge)).toMatchObject({
      image: null,
      parsing: { parser: 'none', status: 'unsupported' },
    })
    expect(await read('fake.png', 'text')).toMatchObject({
      image: null,
      text: null,
      parsing: { status: 'unsupported' },
    })
    expect(await read('a.pdf', '%PDF-1.7')).toMatchObject({
      text: null,
      parsing: { parser: 'pdf', status: 'failed', detail: expect.stringContaining('PDF') },
    })
    const { file_id } = await put('b.pdf', '%PDF-1.7')
    expect((await attachments.read(ANNA, file_id, 10, { language: 'de' })).parsing.detail).toBe(
      'Das PDF ist beschädigt oder nicht das, was sein Name sagt.',
    )
    expect(
      await read('tool.txt', await readFile(process.execPath).then((bytes) => bytes.subarray(0, 50_000))),
    ).toMatchObject({
      text: null,
      parsing: { parser: 'text', status: 'failed' },
    })
  })
})
