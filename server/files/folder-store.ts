import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ByteStore, StoredObject } from './byte-store.ts'
import { STORED_ID } from './stored-id.ts'

const SHARD = /^[0-9a-z]{2}$/
const READ_SIZE = 256 * 1024

/**
 * Bytes in a folder of this machine: `<root>/<last 2 characters of the id>/<id>`, written under another name in
 * `<root>/unfinished`, synced, then renamed, so that a file is either complete or absent. Owner-only. `ids` is the
 * pattern of an id; only matching names ever become part of a path.
 * (The last two characters, because an id begins with the time: its beginning would put a month of files into one
 * folder.)
 */
export async function openFolderStore(root: string, ids = STORED_ID): Promise<ByteStore> {
  const unfinished = join(root, 'unfinished')
  await mkdir(unfinished, { recursive: true, mode: 0o700 })
  // An existing folder may be readable by others.
  await chmod(root, 0o700)

  function pathOf(id: string): string {
    if (!ids.test(id)) throw new Error('Not the id of a stored file')
    return join(root, id.slice(-2), id)
  }

  return {
    async write(id, bytes) {
      const path = pathOf(id)
      const temporary = join(unfinished, `${id}.${randomBytes(8).toString('hex')}`)
      try {
        await writeSynced(temporary, bytes)
        if (await mkdir(dirname(path), { recursive: true, mode: 0o700 })) await syncFolder(root)
        await rename(temporary, path)
        await syncFolder(dirname(path))
      } catch (error) {
        await rm(temporary, { force: true })
        await rm(path, { force: true })
        throw error
      }
    },

    async size(id) {
      try {
        return (await stat(pathOf(id))).size
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },

    async *read(id, limit = Infinity, from = 0) {
      await using handle = await open(pathOf(id), 'r')
      for (let position = from; position < from + limit;) {
        const { bytesRead, buffer } = await handle.read({
          buffer: Buffer.allocUnsafe(Math.min(READ_SIZE, from + limit - position)),
          position,
        })
        if (bytesRead === 0) return
        position += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    },

    path: pathOf,

    async remove(id) {
      await rm(pathOf(id), { force: true })
    },

    async list(cursor) {
      const shards = (await readdir(root)).filter((name) => SHARD.test(name)).sort()
      const at = cursor === null ? 0 : shards.findIndex((name) => name >= cursor)
      const shard = at < 0 ? undefined : shards[at]
      if (shard === undefined) return { objects: [], next: null }
      const objects: StoredObject[] = []
      for (const id of await readdir(join(root, shard))) {
        if (!ids.test(id)) continue
        const written_at = await writtenAt(join(root, shard, id))
        if (written_at !== null) objects.push({ id, written_at })
      }
      return { objects, next: shards[at + 1] ?? null }
    },

    async removeUnfinished(before) {
      let removed = 0
      for (const name of await readdir(unfinished)) {
        const written_at = await writtenAt(join(unfinished, name))
        if (written_at === null || written_at >= before) continue
        await rm(join(unfinished, name), { force: true })
        removed++
      }
      return removed
    },
  }
}

async function writeSynced(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await using handle = await open(path, 'wx', 0o600)
  await handle.writeFile(bytes)
  await handle.sync()
}

/** A rename survives a power cut only once its folder has been synced. */
async function syncFolder(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}

async function writtenAt(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mtimeMs
  } catch (error) {
    // It was removed while we looked.
    if (isMissing(error)) return null
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
