import { lstat, opendir } from 'node:fs/promises'

const SLASH = Buffer.from('/')
/** Names need not be text. */
const BYTES = { encoding: 'buffer' as BufferEncoding }
const HIDING = new Set(['EACCES', 'ENAMETOOLONG'])

/**
 * Bytes that the files below `folder` take on the disk, links not followed. Stops counting when it is more than `enough`,
 * or more than `most` files: then it is Infinity, as it is for a folder that cannot be looked into, closed or too deep: nobody hides
 * files from the count. What disappears meanwhile counts nothing.
 */
export async function diskUse(folder: string, enough: number, most = 200_000): Promise<number> {
  const folders = [Buffer.from(folder)]
  let bytes = 0
  let files = 0
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const entries = await opendir(at, BYTES).catch((error: NodeJS.ErrnoException) => error.code ?? '')
    if (typeof entries === 'string') {
      if (HIDING.has(entries)) return Infinity
      continue
    }
    try {
      for await (const entry of entries) {
        files += 1
        if (files > most) return Infinity
        const path = Buffer.concat([at, SLASH, entry.name as unknown as Buffer])
        if (entry.isDirectory()) folders.push(path)
        else
          bytes += await lstat(path).then(
            ({ blocks }) => blocks * 512,
            () => 0,
          )
        if (bytes > enough) return bytes
      }
    } catch {
      // The folder went away while it was read.
    }
  }
  return bytes
}
