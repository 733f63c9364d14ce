import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Bytes that the files below `folder` take on the disk, links not followed. Stops counting when it is more than `enough`,
 * or more than `most` files: then it is Infinity. What disappears meanwhile counts nothing.
 */
export async function diskUse(folder: string, enough: number, most = 200_000): Promise<number> {
  const folders = [folder]
  let bytes = 0
  let files = 0
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const entries = await opendir(at).catch(() => null)
    if (entries === null) continue
    try {
      for await (const entry of entries) {
        files += 1
        if (files > most) return Infinity
        const path = join(at, entry.name)
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
