import { DatabaseSync } from 'node:sqlite'
import { createPrivate } from './private-file.ts'

/** SQLite's result code for a lock held by another process. */
const BUSY = 5

/**
 * Locks a file, which is created if need be, with a lock of the operating system that ends with the process, however it
 * ends. Null while another process, or another part of this one, holds it.
 */
export function lockFile(file: string): Disposable | null {
  createPrivate(file)
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    return { [Symbol.dispose]: () => lock.close() }
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode === BUSY) return null
    throw error
  }
}
