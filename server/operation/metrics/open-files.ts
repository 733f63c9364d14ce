import { readdir, readFile } from 'node:fs/promises'

/** Files and connections this process has open, and its limit; null if the system does not tell. */
export async function openFiles(): Promise<{ open: number; limit: number } | null> {
  try {
    const open = (await readdir('/proc/self/fd')).length
    const limits = await readFile('/proc/self/limits', 'utf8')
    return { open, limit: Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? NaN) }
  } catch {
    return null
  }
}
