import { AppError } from '../kernel/app-error.ts'
import { OperatorProblem } from '../kernel/operator-problem.ts'
import { StorageAway } from '../kernel/storage-failure.ts'

/** File system error → reason, as the end of a sentence that begins with the path. */
const REFUSED: Readonly<Record<string, string>> = {
  EACCES: 'this account may not. Give it to the account of the service',
  EPERM: 'this account may not. Give it to the account of the service',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full. Make room there',
  EDQUOT: 'the disk quota of this account is used up. Make room',
  EIO: 'the disk does not answer as it should. Look at it',
  EMFILE: 'too many files are open. Raise the limit (ulimit -n, LimitNOFILE of the unit)',
  ENOTDIR: 'a part of the path is a file',
  EISDIR: 'it is a folder',
}
/** The same for SQLite, by primary result code. */
const SQLITE: Readonly<Record<number, string>> = {
  5: 'another program holds it. End that, and start again',
  8: 'this account may not write it. Give it to the account of the service',
  10: 'the disk does not answer as it should. Look at it, and at how much is free',
  11: 'it is damaged. Restore the newest backup (reeve restore)',
  13: 'the disk is full. Make room there',
  14: 'it cannot be opened. Look who owns the data folder and its files',
  26: 'the file is no database. Restore the newest backup (reeve restore)',
}

/**
 * The sentence for the operator when `error` is not a fault of the program; null when it is, and its stack is worth
 * showing.
 */
export function failureSentence(error: unknown): string | null {
  if (error instanceof OperatorProblem || error instanceof AppError) return error.message
  if (error instanceof StorageAway) return `${error.message} Start again once it does.${reasonOf(error.cause)}`
  if (!(error instanceof Error)) return null
  const { code, path, errcode } = error as NodeJS.ErrnoException & { errcode?: number }
  if (code === 'ERR_SQLITE_ERROR' && errcode !== undefined) {
    const reason = SQLITE[errcode & 0xff]
    return reason === undefined ? null : `The embedded database cannot be used: ${reason}.`
  }
  const reason = code === undefined ? undefined : REFUSED[code]
  if (reason === undefined) return null
  return path === undefined ? `A file cannot be used: ${reason}.` : `${path} cannot be used: ${reason}.`
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? ` (${cause.message})` : ''
}
