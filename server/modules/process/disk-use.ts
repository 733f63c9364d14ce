import { lstat, opendir } from 'node:fs/promises'

const SLASH = Buffer.from('/')
/** File names need not be valid text. */
const BYTES = { encoding: 'buffer' as BufferEncoding }
const HIDING = new Set(['EACCES', 'ENAMETOOLONG'])

/**
 * Bytes that the files below `folder` take up on disk, without following links. Stops counting once the sum exceeds
 * `enough`. Returns Infinity for more than `most` files and for a folder that cannot be read (inaccessible or too
 * deep), so that files cannot be hidden from the count. Files that disappear meanwhile don't count.
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
      // The folder disappeared while it was being read.
    }
  }
  return bytes
}
