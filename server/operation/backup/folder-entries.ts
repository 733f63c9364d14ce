import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** A file below a folder: its path with `/`, and its contents. */
export interface FolderEntry {
  readonly path: string
  bytes(): AsyncIterable<Uint8Array>
}

/**
 * Every regular file below a folder. Modules write there, so links, which could lead anywhere, are neither followed nor
 * listed. Files that vanish during reading are left out, and those that change are as they were when read.
 */
export async function* folderEntries(folder: string, below = ''): AsyncGenerator<FolderEntry> {
  const here = join(folder, below)
  const entries = await readdir(here, { withFileTypes: true }).catch(() => [])
  // A folder that was replaced by a link since it was listed is skipped.
  if ((await realpath(here).catch(() => '')) !== join(await realpath(folder).catch(() => ''), below)) return
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) yield* folderEntries(folder, path)
    else if (entry.isFile() && !/[\\\0]/.test(entry.name)) yield { path, bytes: () => readFile(join(folder, path)) }
  }
}

async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null)
  if (handle === null) return
  try {
    if ((await handle.stat()).isFile()) yield* handle.createReadStream({ autoClose: false })
  } finally {
    await handle.close()
  }
}
