import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Database } from '../../../server/db/database.ts'
import type { CreatedFile } from '../../../server/files/put-files.ts'
import { openFiles, type OpenFilesOptions } from '../../../server/files/open-files.ts'
import type { TestDatabase } from '../servers/postgres.ts'

export const ANNA = 'usr_anna'
export const BORIS = 'usr_boris'

/** Stored files of two users, on a database and in a folder of their own, both gone when `closing` is disposed. */
export async function startFiles(
  closing: AsyncDisposableStack,
  testDatabase: TestDatabase,
  options: Partial<OpenFilesOptions> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-files-'))
  closing.defer(() => rm(folder, { recursive: true }))
  const database = closing.use(
    await Database.open({
      url: (await (testDatabase.withTables ?? testDatabase.url)(folder)) || null,
      folder,
      onError: (error) => expect.fail(error.message),
    }),
  )
  await addUsers(database, ANNA, BORIS)
  const created: CreatedFile[] = []
  const onCreated: OpenFilesOptions['onCreated'] = async (_trx, file) => void created.push(file)
  const opened = closing.use(await openFiles({ database, folder, onCreated, ...options }))
  const { files } = opened
  const put = (name: string, content: string | Uint8Array = 'x', user_id = ANNA) =>
    files.put({ user_id, name, bytes: pieces(content) })
  /** The paths of everything in the store, once the sweep has removed what is unused. */
  const stored = async () => {
    await database.write.updateTable('unused_object').set({ unused_since: 0 }).execute()
    await opened.removeUnused()
    const entries = await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  }
  const nothingLeft = async () => {
    expect(await stored()).toEqual([])
    expect((await files.list(ANNA, { limit: 200 })).items).toEqual([])
    expect(created).toEqual([])
  }
  return { ...opened, folder, database, created, put, stored, nothingLeft }
}

async function addUsers(database: Database, ...ids: string[]): Promise<void> {
  const role = { role_id: 'rol_test', name: 'test', name_folded: 'test', admin: 0, builtin: 0, created_at: 0 }
  await database.write.insertInto('role').values(role).execute()
  for (const user_id of ids) {
    const names = {
      username: user_id,
      username_folded: user_id,
      display_name: user_id,
      personal_prompt: '',
      language: 'en',
    }
    const rest = { password_hash: null, disabled_at: null, last_seen_at: null, created_at: 0, role_id: role.role_id }
    await database.write
      .insertInto('user')
      .values({ user_id, ...names, ...rest })
      .execute()
  }
}

/** Content in the pieces in which a network brings it. */
export async function* pieces(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content)
  for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.subarray(at, at + 64 * 1024)
}

export async function collect(stream: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of stream) all.push(piece)
  return Buffer.concat(all)
}
