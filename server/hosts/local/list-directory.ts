import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Entry, ReadProblem } from '../../modules/machines.ts'
import { readProblem } from './read-files.ts'

/** `Machine.listDir` here. A directory below that may not be read is left out, like one that has gone meanwhile. */
export async function listDirectory(
  path: string,
  { max, deep = false }: { max: number; deep?: boolean },
  signal: AbortSignal,
): Promise<Entry[] | ReadProblem> {
  signal.throwIfAborted()
  const entries: Entry[] = []
  const folders = [path]
  for (let folder = folders.shift(); folder !== undefined && entries.length < max; folder = folders.shift()) {
    try {
      // Piece by piece: a directory may have millions of entries.
      for await (const entry of await opendir(folder)) {
        signal.throwIfAborted()
        const whole = join(folder, entry.name)
        entries.push({ name: relative(path, whole), kind: kindOf(entry) })
        if (entries.length >= max) break
        if (deep && entry.isDirectory()) folders.push(whole)
      }
    } catch (error) {
      signal.throwIfAborted()
      if (folder !== path) continue
      return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? 'not_directory' : readProblem(error)
    }
  }
  return entries
}

function kindOf(entry: Dirent): Entry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  return entry.isSymbolicLink() ? 'link' : 'other'
}
