import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { Database } from '../server/db/database.ts'
import { databases } from './stage/servers/postgres.ts'

describe.each(databases)('what reads the database ($name)', (testDatabase) => {
  test('cannot write: not by its type, not through a cast, not as text', async () => {
    await using closing = new AsyncDisposableStack()
    const folder = await mkdtemp(join(tmpdir(), 'reeve-reads-'))
    closing.defer(() => rm(folder, { recursive: true }))
    const url = (await testDatabase.url()) || null
    const onError = (error: Error) => expect.fail(error.message)
    const { read, write } = closing.use(await Database.open({ url, folder, onError }))
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
})
