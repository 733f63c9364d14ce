import { readFile, rm, utimes } from 'node:fs/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { OpenFilesOptions } from '../server/files/open-files.ts'
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

  test('a deleted file is nowhere but among the deleted, and comes back as it was', async () => {
    const { files, put } = await start({ quota: 1000 })
    const entry = await put('a.txt', 'hello')
    await files.remove(ANNA, entry.file_id)
    const gone = { code: 'not_found', message: 'There is no such file.' }
    await expect(files.entry(ANNA, entry.file_id)).rejects.toMatchObject(gone)
    await expect(files.open(ANNA, entry.file_id)).rejects.toMatchObject(gone)
    await expect(files.head(ANNA, entry.file_id, 10)).rejects.toMatchObject(gone)
    await expect(files.locate(ANNA, entry.file_id)).rejects.toMatchObject(gone)
    await expect(files.remove(ANNA, entry.file_id)).rejects.toMatchObject(gone)
    await expect(files.restore(BORIS, entry.file_id)).rejects.toMatchObject(gone)
    expect((await files.list(ANNA, { limit: 10 })).items).toEqual([])
    expect((await files.list(ANNA, { limit: 10, deleted: true })).items).toEqual([entry])
    expect(await files.usage(ANNA)).toEqual({ bytes: 5, deleted_bytes: 5, limit: 1000, file_limit: expect.any(Number) })
    expect(await files.restore(ANNA, entry.file_id)).toEqual(entry)
    expect(await files.restore(ANNA, entry.file_id)).toEqual(entry)
    expect(String(await collect((await files.open(ANNA, entry.file_id)).stream))).toBe('hello')
    expect(await files.usage(ANNA)).toEqual({ bytes: 5, deleted_bytes: 0, limit: 1000, file_limit: expect.any(Number) })
  })

  test('after 30 days a deleted file is purged, and its bytes with the last file that has them', async () => {
    let now = Date.now()
    const { files, put, stored } = await start({ now: () => now })
    const [one, two] = [await put('one.txt', 'same'), await put('two.txt', 'same')]
    await files.remove(ANNA, one.file_id)
    now += 29 * DAY_MS
    expect(await files.purgeDeleted()).toBe(0)
    await files.remove(ANNA, two.file_id)
    now += 2 * DAY_MS
    expect(await files.purgeDeleted()).toBe(1)
    await expect(files.restore(ANNA, one.file_id)).rejects.toMatchObject({ code: 'not_found' })
    expect(
      String(await collect((await files.open(ANNA, (await files.restore(ANNA, two.file_id)).file_id)).stream)),
    ).toBe('same')
    await files.remove(ANNA, two.file_id)
    now += 31 * DAY_MS
    expect(await files.purgeDeleted()).toBe(1)
    expect(await stored()).toEqual([])
    expect((await files.usage(ANNA)).bytes).toBe(0)
  })

  test('what is deleted for good is gone at once, deleted before or not', async () => {
    const { files, put, stored } = await start({ quota: 10 })
    const [one, two] = [await put('one.txt', 'first'), await put('two.txt', 'other')]
    await expect(put('more.txt', 'x')).rejects.toMatchObject({ code: 'quota_exceeded' })
    await files.remove(ANNA, one.file_id)
    const gone = { code: 'not_found' }
    await expect(files.removeForever(BORIS, one.file_id)).rejects.toMatchObject(gone)
    for (const { file_id } of [one, two]) {
      await files.removeForever(ANNA, file_id)
      await expect(files.removeForever(ANNA, file_id)).rejects.toMatchObject(gone)
      await expect(files.restore(ANNA, file_id)).rejects.toMatchObject(gone)
    }
    await expect(files.removeForever(ANNA, '../x')).rejects.toMatchObject(gone)
    expect(await stored()).toEqual([])
    expect((await put('more.txt', '0123456789')).size).toBe(10)
  })

  test('one content is kept once for its owner, and never shared with another', async () => {
    const { files, put, stored } = await start()
    const mine = await Promise.all(Array.from({ length: 6 }, (_, i) => put(`${i}.txt`, 'the same text')))
    const hers = await put('b.txt', 'the same text', BORIS)
    // Uploads at once may not have known of each other; any later one does.
    const last = await put('last.txt', 'the same text')
    const places = await Promise.all([...mine, last].map(({ file_id }) => files.locate(ANNA, file_id)))
    const kept = new Set(places.map(({ stored_as }) => stored_as))
    expect(kept.has(last.file_id)).toBe(false)
    expect(kept.has((await files.locate(BORIS, hers.file_id)).stored_as)).toBe(false)
    expect(await stored()).toHaveLength(kept.size + 1)
    expect((await files.usage(ANNA)).bytes).toBe(7 * 13)
    for (const { file_id } of mine) await files.purge(ANNA, [file_id], [])
    expect(String(await collect((await files.open(ANNA, last.file_id)).stream))).toBe('the same text')
    await files.purge(ANNA, [last.file_id], [])
    expect(await stored()).toEqual([expect.stringContaining(hers.file_id)])
  })

  test('uploads and purges of the same content at once never lose it', async () => {
    const { files, put, stored } = await start()
    let kept = await put('0.txt', 'content')
    for (let round = 0; round < 12; round++) {
      const [next] = await Promise.all([put(`${round}.txt`, 'content'), files.purge(ANNA, [kept.file_id], [])])
      expect(String(await collect((await files.open(ANNA, next.file_id)).stream))).toBe('content')
      kept = next
    }
    expect(await stored()).toHaveLength(1)
  })

  test('what the store lost is not passed on to the next upload of it', async () => {
    const { files, put, stored } = await start()
    await put('a.txt', 'content')
    const [path] = await stored()
    await rm(path!)
    const again = await put('b.txt', 'content')
    expect(String(await collect((await files.open(ANNA, again.file_id)).stream))).toBe('content')
  })

  test('the sweep keeps shared bytes, and takes the spare ones that a crash left', async () => {
    const { files, put, stored, database, sweep } = await start()
    await put('a.txt', 'content')
    const two = await put('b.txt', 'content')
    const spare = await put('c.txt', 'other')
    // As if the process had ended between the row and the removal of what was written twice.
    const { stored_as } = await files.locate(ANNA, two.file_id)
    await database.write.updateTable('file').set({ stored_as }).where('file_id', '=', spare.file_id).execute()
    const old = new Date(Date.now() - 2 * DAY_MS)
    for (const path of await stored()) await utimes(path, old, old)
    expect(await sweep()).toEqual({ purged: 0, removed: 1 })
    const [left, ...more] = await stored()
    expect(more).toEqual([])
    expect(await readFile(left!, 'utf8')).toBe('content')
  })

  test('files are found by words of their names, by kind, in any order, page by page', async () => {
    const { files, put } = await start()
    const sizes = { 'Отчёт МАРТ.xlsx': 30, 'отчет апрель.csv': 20, 'photo 100%.PNG': 10, 'Größe_a.png': 10, notes: 5 }
    for (const [name, size] of Object.entries(sizes)) await put(name, 'x'.repeat(size))
    await files.put({ user_id: BORIS, name: 'отчёт.csv', bytes: pieces('x') })
    const names = async (page: Partial<Parameters<typeof files.list>[1]>): Promise<string[]> => {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const answer = await files.list(ANNA, { limit: 2, cursor, ...page })
        seen.push(...answer.items.map(({ name }) => name))
        cursor = answer.next_cursor ?? undefined
      } while (cursor !== undefined)
      return seen
    }
    expect(await names({ q: 'ОТЧЕТ' })).toEqual(['отчет апрель.csv', 'Отчёт МАРТ.xlsx'])
    expect(await names({ q: ' март  отч ' })).toEqual(['Отчёт МАРТ.xlsx'])
    expect(await names({ q: '0%' })).toEqual(['photo 100%.PNG'])
    expect(await names({ q: '_' })).toEqual(['Größe_a.png'])
    expect(await names({ q: 'a\0b' })).toEqual([])
    expect(await names({ kind: 'image', sort: 'name' })).toEqual(['Größe_a.png', 'photo 100%.PNG'])
    expect((await names({ kind: 'table' })).sort()).toEqual(['Отчёт МАРТ.xlsx', 'отчет апрель.csv'].sort())
    expect(await names({ kind: 'other' })).toEqual(['notes'])
    expect(await names({ sort: 'oldest' })).toEqual(Object.keys(sizes))
    expect(await names({ sort: 'newest' })).toEqual(Object.keys(sizes).reverse())
    const bySize = ['notes', 'photo 100%.PNG', 'Größe_a.png', 'отчет апрель.csv', 'Отчёт МАРТ.xlsx']
    expect(await names({ sort: 'smallest' })).toEqual(bySize)
    expect(await names({ sort: 'largest' })).toEqual(bySize.toReversed())
    const byName = await names({ sort: 'name' })
    expect(byName.toSorted()).toEqual(Object.keys(sizes).sort())
    expect(await names({ sort: 'name_desc' })).toEqual(byName.toReversed())
    const refused = { code: 'invalid_request' }
    await expect(files.list(ANNA, { limit: 2, sort: 'name', cursor: 'fil_none' })).rejects.toMatchObject(refused)
    const [theirs] = (await files.list(BORIS, { limit: 1 })).items
    await expect(files.list(ANNA, { limit: 2, sort: 'name', cursor: theirs!.file_id })).rejects.toMatchObject(refused)
  })
})
