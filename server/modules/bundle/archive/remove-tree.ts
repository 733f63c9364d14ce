import { constants } from 'node:fs'
import { chmod, lstat, open, readdir, rename, rmdir, unlink } from 'node:fs/promises'

const FOLDER = constants.O_DIRECTORY | constants.O_NOFOLLOW
/** Linux: a handle that only refers to a file and needs no read permission. */
const O_PATH = 0o10000000

/**
 * Removes a folder whatever a module left in it: folders that are read-only, inaccessible or deeper than any path may
 * be, and names that aren't text. Follows no symbolic links. A missing folder is fine.
 */
export async function removeTree(folder: string): Promise<void> {
  const root = Buffer.from(folder)
  const stat = await lstat(root).catch(() => null)
  if (stat === null) return
  if (!stat.isDirectory()) return unlink(root)
  await openUp(root)
  // Deep folders are moved up one level at a time, so that no path gets longer than the system allows.
  let brought = 0
  for (let entries = await list(root); entries.length > 0; entries = await list(root)) {
    for (const { path, isFolder } of entries) {
      if (!isFolder) {
        await unlink(path)
        continue
      }
      await openUp(path)
      for (const inner of await list(path)) {
        if (!inner.isFolder) {
          await unlink(inner.path)
          continue
        }
        await openUp(inner.path)
        await rename(inner.path, await freeName(root, () => `.${(brought += 1)}`))
      }
      await rmdir(path)
    }
  }
  await rmdir(root)
}

async function list(folder: Buffer): Promise<{ path: Buffer; isFolder: boolean }[]> {
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' })
  return entries.map((entry) => ({ path: inside(folder, entry.name), isFolder: entry.isDirectory() }))
}

async function freeName(folder: Buffer, next: () => string): Promise<Buffer> {
  for (;;) {
    const path = inside(folder, Buffer.from(next()))
    if ((await lstat(path).catch(() => null)) === null) return path
  }
}

function inside(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from('/'), name])
}

/** Makes a folder readable and writable for us, but never the target of a link. */
async function openUp(folder: Buffer): Promise<void> {
  try {
    await using handle = await open(folder, constants.O_RDONLY | FOLDER)
    await handle.chmod(0o755)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    await using handle = await open(folder, O_PATH | FOLDER)
    await chmod(`/proc/self/fd/${handle.fd}`, 0o755)
  }
}
