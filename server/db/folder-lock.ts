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

/** Reserves the data folder for this process. @throws {OperatorProblem} */
export function lockFolder(folder: string): Disposable {
  openDataFolder(folder)
  const lock = lockFile(join(folder, 'reeve.lock'))
  if (lock === null) throw new FolderInUse(folder)
  return lock
}
