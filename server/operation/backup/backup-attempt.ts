import type { BackupFailure } from '../../../contract/dashboard.ts'
import type { Database, Reader, Trx } from '../../db/database.ts'
import { ATTEMPT_SETTING } from '../../db/snapshot/kept-tables.ts'
import { hasProcessEnded, nameThisProcess } from '../../kernel/process-name.ts'
import { storageFailure } from '../../kernel/storage-failure.ts'
import { cut } from '../../kernel/text/plain-text.ts'
import { lastBackup } from './backup-age.ts'

/** An attempt that has not been renewed for so long is over, whatever became of its process. */
const SILENT_MS = 10 * 60_000
const RENEW_MS = 60_000
const DETAIL_LIMIT = 500
const NOT_WRITABLE: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS']

/** An attempt to back up as it is stored, until it succeeds. Times in epoch milliseconds. */
interface Attempt {
  readonly owner: string
  readonly begun_at: number
  /** Null while it is under way, and for one that was killed. */
  readonly failed: { readonly cause: BackupFailure; readonly detail: string } | null
}

export interface FailedBackup {
  /** When it began, in epoch milliseconds. */
  readonly at: number
  readonly cause: BackupFailure
  /** What the program said, in English; null when it was killed. */
  readonly detail: string | null
}

/**
 * Does `work`, which takes a backup, and leaves behind that and why it failed, also if its process is killed. What cannot
 * be recorded does not keep a backup from being taken. While another one is under way nothing is recorded.
 */
export async function recordAttempt<T>(db: Database, work: () => Promise<T>): Promise<T> {
  const own: Attempt = { owner: nameThisProcess(), begun_at: Date.now(), failed: null }
  if ((await begin(db, own).catch(() => null)) === 'taken') return work()
  let renewing = Promise.resolve()
  const timer = setInterval(() => {
    renewing = write(db.write, own).catch(() => undefined)
  }, RENEW_MS)
  const rest = async () => {
    clearInterval(timer)
    await renewing
  }
  try {
    const result = await work()
    await rest()
    // If it stays, the time of the backup says that it is over.
    await forget(db).catch(() => undefined)
    return result
  } catch (error) {
    await rest()
    await write(db.write, { ...own, failed: failureOf(error) }).catch(() => undefined)
    throw error
  }
}

/** The last attempt to back up, if it has failed and none has succeeded since. */
export async function failedBackup(db: Reader, now = Date.now()): Promise<FailedBackup | null> {
  const found = await read(db)
  if (found === null || isUnderWay(found, now)) return null
  const { begun_at: at, failed } = found.attempt
  const last = await lastBackup(db)
  if (last !== null && last.at >= at) return null
  return failed === null ? { at, cause: 'stopped', detail: null } : { at, ...failed }
}

async function begin(db: Database, own: Attempt): Promise<'taken' | 'begun'> {
  return db.transaction(async (trx) => {
    await db.dialect.serialize(trx, ATTEMPT_SETTING)
    const found = await read(trx)
    if (found !== null && isUnderWay(found, Date.now())) return 'taken'
    await write(trx, own)
    return 'begun'
  })
}

function isUnderWay({ attempt, renewed_at }: { attempt: Attempt; renewed_at: number }, now: number): boolean {
  return attempt.failed === null && now - renewed_at < SILENT_MS && !hasProcessEnded(attempt.owner)
}

async function read(db: Reader): Promise<{ attempt: Attempt; renewed_at: number } | null> {
  const row = await db
    .selectFrom('setting')
    .select(['value', 'updated_at'])
    .where('key', '=', ATTEMPT_SETTING)
    .executeTakeFirst()
  return row === undefined ? null : { attempt: JSON.parse(row.value) as Attempt, renewed_at: row.updated_at }
}

async function write(db: Pick<Trx, 'insertInto'>, attempt: Attempt): Promise<void> {
  const [value, updated_at] = [JSON.stringify(attempt), Date.now()]
  await db
    .insertInto('setting')
    .values({ key: ATTEMPT_SETTING, value, updated_at })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_at }))
    .execute()
}

async function forget(db: Database): Promise<void> {
  await db.write.deleteFrom('setting').where('key', '=', ATTEMPT_SETTING).execute()
}

function failureOf(error: unknown): NonNullable<Attempt['failed']> {
  const detail = cut(error instanceof Error ? error.message : String(error), DETAIL_LIMIT)
  if (storageFailure(error) === 'full') return { cause: 'no_space', detail }
  const code = (error as { code?: unknown } | null)?.code
  return { cause: NOT_WRITABLE.includes(code) ? 'not_writable' : 'other', detail }
}
