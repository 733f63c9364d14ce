import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

const LOOK_MS = 200

/**
 * Calls `onOver` once when the files in and below a folder exceed `most` bytes: nothing else counts what the engine
 * writes.
 */
export function watchGrowth(folder: string, most: number, onOver: () => void): Disposable {
  let ended = false
  const look = async (): Promise<void> => {
    if ((await bytesIn(folder)) > most && !ended) {
      ended = true
      onOver()
    }
    if (!ended) timer = setTimeout(() => void look(), LOOK_MS)
  }
  let timer = setTimeout(() => void look(), LOOK_MS)
  return {
    [Symbol.dispose]() {
      ended = true
      clearTimeout(timer)
    },
  }
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        (file) => (file.isFile() ? file.size : 0),
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
