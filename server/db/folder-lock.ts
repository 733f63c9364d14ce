import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createPrivate } from './private-file.ts'

/** Another process has the embedded database open; two would drive the same runs. */
export class FolderInUse extends Error {
  constructor(folder: string) {
    super(`Another Reeve is running on the data folder ${folder}. Stop it, or set REEVE_DATA_DIR to another folder.`)
    this.name = 'FolderInUse'
  }
}

/** Holds the data folder for this process, by a lock of the operating system that ends with it, however it ends. */
export function lockFolder(folder: string): Disposable {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'reeve.lock')
  createPrivate(file)
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    return { [Symbol.dispose]: () => lock.close() }
  } catch {
    lock.close()
    throw new FolderInUse(folder)
  }
}
