import { symlinkSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { Database } from '../server/db/database.ts'
import { openFolderStore } from '../server/files/folder-store.ts'
import { areBytesHeld, heldStore, holdBytes } from '../server/operation/backup/backup-hold.ts'
import { folderEntries } from '../server/operation/backup/folder-entries.ts'
import { finishSwap, isSwapping, removeStaging } from '../server/operation/backup/folder-swap.ts'
import { databases } from './stage/servers/postgres.ts'

const folders: string[] = []
async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'reeve-swap-'))
  folders.push(made)
  return made
}
afterEach(async () => {
  for (const made of folders.splice(0)) await rm(made, { recursive: true, force: true })
})

/** A data folder with something old, something new beside it, and the decision to swap them. */
async function decided(): Promise<string> {
  const data = await folder()
  await mkdir(join(data, 'restoring-abc/files'), { recursive: true })
  await mkdir(join(data, 'files'))
  for (const [path, text] of [
    ['reeve.db', 'old'],
    ['reeve.db-wal', 'old'],
    ['files/a', 'old'],
    ['stays', 'stays'],
    ['restoring-abc/reeve.db', 'new'],
    ['restoring-abc/files/b', 'new'],
    ['restoring-abc/secret.key', 'new'],
  ])
    await writeFile(join(data, path!), text!)
  const journal = {
    staging: 'restoring-abc',
    aside: 'before-restore-1',
    old: ['reeve.db', 'reeve.db-wal', 'files'],
    new: ['reeve.db', 'files', 'secret.key'],
  }
  await writeFile(join(data, 'restore.json'), JSON.stringify(journal))
  return data
}

describe('a restore that was decided', () => {
  const steps: [string, string][] = [
    ['reeve.db', 'before-restore-1/reeve.db'],
    ['reeve.db-wal', 'before-restore-1/reeve.db-wal'],
    ['files', 'before-restore-1/files'],
    ['restoring-abc/reeve.db', 'reeve.db'],
    ['restoring-abc/files', 'files'],
    ['restoring-abc/secret.key', 'secret.key'],
  ]
  test.each(Array.from({ length: steps.length + 1 }, (_, i) => i))(
    'is finished after a crash at step %i',
    async (crash) => {
      const data = await decided()
      if (crash > 0) await mkdir(join(data, 'before-restore-1'))
      for (const [from, to] of steps.slice(0, crash)) await rename(join(data, from), join(data, to))
      expect(await isSwapping(data)).toBe(true)
      await finishSwap(data)
      await finishSwap(data)
      expect(await isSwapping(data)).toBe(false)
      const read = (path: string) => readFile(join(data, path), 'utf8')
      expect(await read('reeve.db')).toBe('new')
      expect(await read('files/b')).toBe('new')
      expect(await read('secret.key')).toBe('new')
      expect(await read('stays')).toBe('stays')
      expect(await read('before-restore-1/reeve.db')).toBe('old')
      expect(await read('before-restore-1/files/a')).toBe('old')
      expect((await readdir(data)).sort()).toEqual(['before-restore-1', 'files', 'reeve.db', 'secret.key', 'stays'])
    },
  )

  test('and only that one: what was not decided is removed', async () => {
    const data = await decided()
    await rm(join(data, 'restore.json'))
    await finishSwap(data)
    await removeStaging(data)
    expect((await readdir(data)).sort()).toEqual(['files', 'reeve.db', 'reeve.db-wal', 'stays'])
    expect(await readFile(join(data, 'reeve.db'), 'utf8')).toBe('old')
  })
})

test('a link that a module left in its folder leads nowhere', async () => {
  const [outside, inside] = [await folder(), await folder()]
  await writeFile(join(outside, 'secret'), 'secret')
  await mkdir(join(inside, 'sub'))
  await writeFile(join(inside, 'sub/own'), 'own')
  symlinkSync(outside, join(inside, 'folder-link'))
  symlinkSync(join(outside, 'secret'), join(inside, 'file-link'))
  const found: string[] = []
  for await (const { path } of folderEntries(inside)) found.push(path)
  expect(found).toEqual(['sub/own'])
})

describe.each(databases)('while a backup is taken on $name', (database) => {
  test('no stored bytes go, no second backup begins, and one that died is forgotten', async () => {
    const root = await folder()
    const onError = (error: Error) => expect.fail(error.message)
    await using db = await Database.open({ url: (await database.url()) || null, folder: root, onError })
    let now = Date.now()
    const store = heldStore(await openFolderStore(join(root, 'files')), () => areBytesHeld(db, async () => now))
    const id = 'fil_0123456789abcdef0123'
    const write = () =>
      store.write(
        id,
        (async function* () {
          yield Buffer.from('x')
        })(),
      )
    await write()
    const hold = await holdBytes(db, async () => now)
    await store.remove(id)
    expect(await store.size(id)).toBe(1)
    await expect(holdBytes(db, async () => now)).rejects.toThrow(/Another backup/)
    await hold[Symbol.asyncDispose]()
    await store.remove(id)
    expect(await store.size(id)).toBeNull()

    await write()
    const died = await holdBytes(db, async () => now)
    now += 121_000
    await store.remove(id)
    expect(await store.size(id)).toBeNull()
    const next = await holdBytes(db, async () => now)
    await died[Symbol.asyncDispose]()
    expect(await areBytesHeld(db, async () => now)).toBe(true)
    await next[Symbol.asyncDispose]()
    expect(await areBytesHeld(db, async () => now)).toBe(false)
  })
})
