import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The number of files compared, and the sorted paths of those that differ from the installation. */
export interface Integrity {
  readonly checked: number
  readonly modified: string[]
  readonly missing: string[]
  readonly added: string[]
}

const AT_ONCE = 8
const READ_BYTES = 256 * 1024

/**
 * Hashes an unpacked bundle again. `files`: path → SHA-256. A symbolic link is never followed and counts as modified or
 * added.
 */
export async function checkIntegrity(folder: string, files: Readonly<Record<string, string>>): Promise<Integrity> {
  const found = await listTree(folder, '')
  const known = new Map(Object.entries(files))
  const modified: string[] = []
  const queue = [...found].filter(([path]) => known.has(path)).values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      // One for all files in turn: a bundle has thousands, and a buffer for each kept the collector busy for a second.
      const buffer = Buffer.allocUnsafe(READ_BYTES)
      for (const [path, regular] of queue)
        if (!regular || (await hashOfFile(join(folder, path), buffer)) !== known.get(path)) modified.push(path)
    }),
  )
  return {
    checked: known.size,
    modified: modified.sort(),
    missing: [...known.keys()].filter((path) => !found.has(path)).sort(),
    added: [...found.keys()].filter((path) => !known.has(path)).sort(),
  }
}

/** Path → whether it is a regular file. */
async function listTree(folder: string, below: string): Promise<Map<string, boolean>> {
  const found = new Map<string, boolean>()
  let entries
  try {
    entries = await readdir(join(folder, below), { withFileTypes: true })
  } catch (error) {
    // Everything in it then counts as missing.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return found
    throw error
  }
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (!entry.isDirectory()) found.set(path, entry.isFile())
    else for (const [inner, regular] of await listTree(folder, path)) found.set(inner, regular)
  }
  return found
}

/** Null when it disappeared, or became a link, between listing and reading. */
async function hashOfFile(path: string, buffer: Buffer): Promise<string | null> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const hash = createHash('sha256')
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(buffer.subarray(0, bytesRead))
    }
  } catch {
    return null
  }
}
