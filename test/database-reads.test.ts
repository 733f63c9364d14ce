import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { Database } from '../server/db/database.ts'
import { change, insertRows, query } from '../server/db/statement.ts'
import { databases } from './stage/servers/postgres.ts'

async function openDatabase(closing: AsyncDisposableStack, testDatabase: (typeof databases)[number]) {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-reads-'))
  closing.defer(() => rm(folder, { recursive: true }))
  const url = (await (testDatabase.withTables ?? testDatabase.url)(folder)) || null
  const seen: string[] = []
  const onError = (error: Error) => expect.fail(error.message)
  const db = closing.use(await Database.open({ url, folder, onError, observe: (text) => seen.push(text) }))
  return { db, seen }
}

describe.each(databases)('what reads the database ($name)', (testDatabase) => {
  test('cannot write: not by its type, not through a cast, not as text', async () => {
    await using closing = new AsyncDisposableStack()
    const { read, write } = (await openDatabase(closing, testDatabase)).db
    const attempts = [
      // @ts-expect-error A reader has no way to delete.
      () => read.deleteFrom('setting').execute(),
      // @ts-expect-error Nor to insert.
      () => read.insertInto('setting').values({ key: 'a', value: '1', updated_at: 1 }).execute(),
      // @ts-expect-error Nor to update.
      () => read.updateTable('setting').set({ value: '2' }).execute(),
      () => sql`delete from setting`.execute(read),
    ]
    for (const attempt of attempts) await expect(attempt()).rejects.toThrow('Only queries')
    await write.insertInto('setting').values({ key: 'a', value: '1', updated_at: 1 }).execute()
    const value = read.selectFrom('setting').select('value').where('key', '=', 'a')
    expect(await value.executeTakeFirst()).toEqual({ value: '1' })
    expect((await sql`select value from setting where key = 'a'`.execute(read)).rows).toEqual([{ value: '1' }])
    expect(
      await read
        .with('one', () => value)
        .selectFrom('one')
        .selectAll()
        .execute(),
    ).toEqual([{ value: '1' }])
  })

  test('sees what is committed, and waits for no transaction', async () => {
    await using closing = new AsyncDisposableStack()
    const { db } = await openDatabase(closing, testDatabase)
    const keys = async () =>
      (await db.read.selectFrom('setting').select('key').where('key', '=', 'slow').execute()).length
    await db.transaction(async (trx) => {
      await insertRows(trx, 'setting', [{ key: 'slow', value: '1', updated_at: 1 }])
      expect(await keys()).toBe(0)
    })
    expect(await keys()).toBe(1)
  })

  test('is compiled once, for any values and lists of any length', async () => {
    await using closing = new AsyncDisposableStack()
    const { db, seen } = await openDatabase(closing, testDatabase)
    await db.transaction((trx) =>
      insertRows(
        trx,
        'setting',
        ['a', 'b', "c'"].map((key, n) => ({ key, value: `value ${key}`, updated_at: n })),
      ),
    )
    let built = 0
    const some = query((reader, is: { keys: readonly string[]; from: number; most: number }, anyOf) => {
      built++
      return reader
        .selectFrom('setting')
        .select(['key', 'value'])
        .where('key', 'in', anyOf(is.keys))
        .where('updated_at', '>=', is.from)
        .orderBy('key')
        .limit(is.most)
    })
    seen.length = 0
    const found = async (keys: readonly string[], from = 0, most = 10) =>
      (await some.all(db.read, { keys, from, most })).map(({ key }) => key)
    expect(await found(['a', 'b', "c'", 'd'])).toEqual(['a', 'b', "c'"])
    expect(await found(['b'])).toEqual(['b'])
    expect(await found([])).toEqual([])
    expect(await found(['a', 'b', "c'"], 1)).toEqual(['b', "c'"])
    expect(await found(['a', 'b', "c'"], 0, 2)).toEqual(['a', 'b'])
    expect(await some.first(db.read, { keys: ["c'"], from: 0, most: 1 })).toEqual({ key: "c'", value: "value c'" })
    expect({ built, statements: new Set(seen).size, times: seen.length }).toEqual({ built: 1, statements: 1, times: 6 })

    const rename = change((writer, is: { to: string; key: string }) =>
      writer.updateTable('setting').set({ value: is.to }).where('key', '=', is.key),
    )
    expect(await rename.run(db.write, { to: 'new', key: 'a' })).toBe(1)
    expect(await rename.run(db.write, { to: 'new', key: 'z' })).toBe(0)
    expect(await some.first(db.read, { keys: ['a'], from: 0, most: 1 })).toEqual({ key: 'a', value: 'new' })
  })

  test('refuses a statement that depends on a value, or lacks one', async () => {
    await using closing = new AsyncDisposableStack()
    const { db } = await openDatabase(closing, testDatabase)
    const depends = query((reader, is: { most: number }) =>
      reader
        .selectFrom('setting')
        .selectAll()
        .limit(is.most + 1),
    )
    await expect(async () => depends.all(db.read, { most: 1 })).rejects.toThrow('depends on the value of most')
    const named = query((reader, is: { key: string }) =>
      reader.selectFrom('setting').selectAll().where('key', '=', is.key),
    )
    await expect(async () => named.all(db.read, {} as { key: string })).rejects.toThrow('value of key is missing')
  })
})
