/** Why storing or reading failed: there is no room, or the storage does not answer. */
export type StorageFailure = 'full' | 'away'

/** The database cannot be reached; `cause` says why. */
export class StorageAway extends Error {
  override readonly name = 'StorageAway'
}

/** Error codes of the operating system, of PostgreSQL (53100: disk_full), and of SQLite (13: SQLITE_FULL). */
const FULL_CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT', '53100']
const SQLITE_FULL = 13
/** Error codes of PostgreSQL: 08 connection, 53300 too many connections, 57P01–57P05 stopping or starting. */
const AWAY_CODE = /^(08...|53300|57P0[1-5])$/
const CUT_OFF = /^Connection terminated|^Client has encountered a connection error/
const DEPTH = 5

/** Classifies an error of the database or of a store; null if it is neither kind of failure. Examines causes, too. */
export function storageFailure(error: unknown, depth = 0): StorageFailure | null {
  if (!(error instanceof Error) || depth > DEPTH) return null
  const { code, errcode, status } = error as { code?: unknown; errcode?: unknown; status?: unknown }
  if (FULL_CODES.includes(code)) return 'full'
  if (typeof errcode === 'number' && (errcode & 0xff) === SQLITE_FULL) return 'full'
  if (error.name === 'S3Failure') return storeFailure(Number(status), code)
  return isAway(error) ? 'away' : storageFailure(error.cause, depth + 1)
}

/** Whether an error says that the database cannot be reached at the moment. Examines causes, too. */
export function isDatabaseAway(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > DEPTH || error.name === 'S3Failure') return false
  return isAway(error) || isDatabaseAway(error.cause, depth + 1)
}

function isAway(error: Error): boolean {
  const { code } = error as { code?: unknown }
  return (
    error instanceof StorageAway || (typeof code === 'string' && AWAY_CODE.test(code)) || CUT_OFF.test(error.message)
  )
}

/** A store answers 507 when it is full, and 0 stands for no answer. One that refuses our keys is as good as away. */
function storeFailure(status: number, code: unknown): StorageFailure | null {
  if (status === 507) return 'full'
  const away = status === 0 || status >= 500 || [401, 403, 408, 429].includes(status) || code === 'NoSuchBucket'
  return away ? 'away' : null
}
