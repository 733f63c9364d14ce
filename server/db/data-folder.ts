import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorProblem } from '../kernel/operator-problem.ts'

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this account may not write there',
  EPERM: 'this account may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of this account is used up',
  ENOTDIR: 'a part of the path is a file',
  ENOENT: 'that file system takes no folders',
}

/** Creates the data folder, owner-only, if it is missing, and checks that it can be used. @throws {OperatorProblem} */
export function openDataFolder(folder: string): void {
  try {
    make(folder)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new OperatorProblem(
      `The data folder ${folder} cannot be used: ${REASONS[code] ?? (error as Error).message}. Give it to the account of the service, or set REEVE_DATA_DIR to another folder.`,
      { cause: error },
    )
  }
}

/** Folder by folder: Node's own recursive mkdir never returns where the kernel answers ENOENT, such as below /proc. */
function make(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  if (found) throw Object.assign(new Error('it is a file'), { code: 'ENOTDIR' })
  if (dirname(folder) !== folder) make(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
