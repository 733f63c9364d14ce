import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorProblem } from '../kernel/operator-problem.ts'
import { openDataFolder } from './data-folder.ts'
import { lockFile } from './file-lock.ts'

/** Another process has the embedded database open; two would drive the same runs. */
class FolderInUse extends OperatorProblem {
  override readonly name = 'FolderInUse'

  constructor(folder: string) {
    super(`Another Reeve is running on the data folder ${folder}. Stop it, or set REEVE_DATA_DIR to another folder.`)
  }
}

const lockIn = (folder: string): string => join(folder, 'reeve.lock')

/** Reserves the data folder for this process. @throws {OperatorProblem} */
export function lockFolder(folder: string): Disposable {
  openDataFolder(folder)
  const lock = lockFile(lockIn(folder))
  if (lock === null) throw new FolderInUse(folder)
  return lock
}

/** Whether a service was ever started on this data folder. Looking takes no lock, which could be in that service's way. */
export function wasStarted(folder: string): boolean {
  return existsSync(lockIn(folder))
}
