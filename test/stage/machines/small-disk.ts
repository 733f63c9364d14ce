import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small disk of its own; null with the reason where this account may not make one. */
export function openSmallDisk(megabytes: number): ({ path: string } & Disposable) | null {
  const path = mkdtempSync(join(tmpdir(), 'reeve-disk-'))
  const made = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path])
  const remove = (): void => rmSync(path, { recursive: true, force: true })
  if (made.status !== 0) {
    remove()
    return null
  }
  return {
    path,
    [Symbol.dispose]: () => {
      spawnSync('umount', ['-l', path])
      remove()
    },
  }
}

/** Writes until there is no room. */
export async function fill(file: string): Promise<void> {
  for (const size of [1024 * 1024, 4096])
    for (;;)
      try {
        await appendFile(file, Buffer.alloc(size))
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'ENOSPC') throw error
        break
      }
}
