import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openDataFolder } from './data-folder.ts'
import { createPrivate } from './private-file.ts'
import { OperatorProblem } from '../kernel/operator-problem.ts'

/** SQLite's result code for a lock held by another process. */
const BUSY = 5

/** Another process has the embedded database open; two would drive the same runs. */
class FolderInUse extends OperatorProblem {
  override readonly name = 'FolderInUse'

  constructor(folder: string) {
    super(`Another Reeve is running on the data folder ${folder}. Stop it, or set REEVE_DATA_DIR to another folder.`)
  }
}

/**
 * Reserves the data folder for this process, with a lock of the operating system that ends with the process, however it
 * ends. @throws {OperatorProblem}
 */
export function lockFolder(folder: string): Disposable {
  openDataFolder(folder)
  const file = join(folder, 'reeve.lock')
  createPrivate(file)
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    return { [Symbol.dispose]: () => lock.close() }
  } catch (error) {
    lock.close()
    throw (error as { errcode?: number }).errcode === BUSY ? new FolderInUse(folder) : error
  }
}
