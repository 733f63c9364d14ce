import { sql } from 'kysely'
import type { BackupFailure } from '../../../contract/dashboard.ts'
import { databaseTime } from '../../db/database-time.ts'
import type { Database, Reader, Trx } from '../../db/database.ts'
import { ProcessLocks } from '../../db/process-locks.ts'
import { ATTEMPT_SETTING } from '../../db/snapshot/kept-tables.ts'
import { newId } from '../../kernel/id.ts'
import { storageFailure } from '../../kernel/storage-failure.ts'
import { cut } from '../../kernel/text/plain-text.ts'
import { lastBackup } from './backup-age.ts'

/** An attempt that has not been renewed for so long is over, whatever became of its process. */
const SILENT_MS = 5 * 60_000
const RENEW_MS = 60_000
const DETAIL_LIMIT = 500
const NOT_WRITABLE: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS']

/** An attempt to back up as it is stored, until it succeeds. Times in epoch milliseconds by the database's time. */
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
 * @param folder the data folder
 */
export async function recordAttempt<T>(db: Database, folder: string, work: () => Promise<T>): Promise<T> {
  using locks = new ProcessLocks(folder)
  const owner = newId('process')
  locks.take(owner)
  const own = await begin(db, owner, locks).catch((): Attempt => ({ owner, begun_at: Date.now(), failed: null }))
  if (own === 'taken') return work()
  let renewing = Promise.resolve()
  const timer = setInterval(() => {
    renewing = write(db.write, db, own).catch(() => undefined)
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
    await write(db.write, db, { ...own, failed: failureOf(error) }).catch(() => undefined)
    throw error
  }
}

/** The last attempt to back up, if it has failed and none has succeeded since. */
export async function failedBackup(db: Database, folder: string): Promise<FailedBackup | null> {
  const found = await read(db.read, db)
  if (found === null || isUnderWay(found, new ProcessLocks(folder))) return null
  const { begun_at: at, failed } = found.attempt
  const last = await lastBackup(db.read)
  if (last !== null && last.at >= at) return null
  return failed === null ? { at, cause: 'stopped', detail: null } : { at, ...failed }
}

async function begin(db: Database, owner: string, locks: ProcessLocks): Promise<'taken' | Attempt> {
  return db.transaction(async (trx) => {
    await db.dialect.serialize(trx, ATTEMPT_SETTING)
    const found = await read(trx, db)
    if (found !== null && isUnderWay(found, locks)) return 'taken'
    const own: Attempt = { owner, begun_at: await databaseTime(trx, db.dialect), failed: null }
    await write(trx, db, own)
    return own
  })
}

interface Found {
  readonly attempt: Attempt
  /** Milliseconds since it was renewed. */
  readonly silent: number
}

function isUnderWay({ attempt, silent }: Found, locks: ProcessLocks): boolean {
  return attempt.failed === null && silent < SILENT_MS && !locks.hasEnded(attempt.owner)
}

async function read(reader: Reader, { dialect }: Database): Promise<Found | null> {
  const row = await reader
    .selectFrom('setting')
    .select('value')
    .select(sql<number>`${dialect.now} - updated_at`.as('silent'))
    .where('key', '=', ATTEMPT_SETTING)
    .executeTakeFirst()
  return row === undefined ? null : { attempt: JSON.parse(row.value) as Attempt, silent: Number(row.silent) }
}

async function write(trx: Pick<Trx, 'insertInto'>, { dialect }: Database, attempt: Attempt): Promise<void> {
  const row = { value: JSON.stringify(attempt), updated_at: dialect.now }
  await trx
    .insertInto('setting')
    .values({ key: ATTEMPT_SETTING, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
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
