import { stat } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { databaseProblems } from '../../db/integrity.ts'
import { readProcesses } from '../../db/processes.ts'
import { lastBackup } from '../../operation/backup/backup-age.ts'
import { failedBackup } from '../../operation/backup/backup-attempt.ts'
import { attempt, type Check, fail, ok, warn } from './check.ts'

const DAY = 24 * 3_600_000
const MINUTE = 60_000
const SEE_PROCESSES = 'See whether the silent one was killed, is frozen, or cannot reach the database.'

/** Schema, integrity, clock, the processes of the service and the age of the last backup. */
export async function databaseChecks(db: Database, folder: string): Promise<Check[]> {
  const checks = [schema(db), await attempt('database', 'Restore the newest backup.', () => whole(db))]
  if (db.opened.pending.length > 0) return checks
  return [
    ...checks,
    await attempt('clock', 'Set the clock of this machine (timedatectl).', () => clock(db)),
    ...(db.dialect.file === null ? [await attempt('processes', SEE_PROCESSES, () => processes(db))] : []),
    await attempt('backup', 'Run reeve backup.', () => backupAge(db, folder)),
  ]
}

function schema({ opened: { pending }, dialect }: Database): Check {
  return pending.length === 0
    ? ok('schema', `The ${dialect.name === 'sqlite' ? 'embedded' : 'PostgreSQL'} database is up to date.`)
    : warn('schema', `Migrations are pending: ${pending.join(', ')}.`, 'Run reeve migrate, or start the service.')
}

async function whole(db: Database): Promise<Check> {
  const problems = await databaseProblems(db)
  return problems.length === 0
    ? ok('database', 'It answers and is intact.')
    : fail('database', problems.slice(0, 3).join(' '), 'Stop the service, and restore the newest backup.')
}

/** The times of sign-ins, approvals and certificates depend on it. */
async function clock(db: Database): Promise<Check> {
  const row = await db.read.selectFrom('audit').select('at').orderBy('audit_id', 'desc').limit(1).executeTakeFirst()
  const ahead = (row?.at ?? 0) - Date.now()
  if (ahead > MINUTE)
    return fail(
      'clock',
      `It is ${Math.round(ahead / MINUTE)} minutes behind the newest entry of the audit log.`,
      'Set the clock of this machine (timedatectl).',
    )
  if (db.dialect.name === 'sqlite') return ok('clock', `It says ${new Date().toISOString()}.`)
  const { rows } = await sql<{ now: number }>`select extract(epoch from clock_timestamp()) * 1000 as now`.execute(
    db.read,
  )
  const apart = Math.abs(Number(rows[0]!.now) - Date.now())
  return apart < MINUTE
    ? ok('clock', `It says ${new Date().toISOString()}, and the database agrees.`)
    : fail(
        'clock',
        `It is ${Math.round(apart / 1000)} seconds apart from that of the database.`,
        'Set both clocks (timedatectl).',
      )
}

/** Those that share a PostgreSQL database. */
async function processes(db: Database): Promise<Check> {
  const known = await readProcesses(db)
  const silent = known.filter(({ alive }) => !alive)
  const named = known.map(
    ({ host, version, heartbeat_at, alive, stopping_at }) =>
      `${host} (${version}${alive ? (stopping_at === null ? '' : ', stopping') : `, silent since ${new Date(heartbeat_at).toISOString()}`})`,
  )
  const message = known.length === 0 ? 'None works on this database now.' : `On this database: ${named.join(', ')}.`
  return silent.length === 0 ? ok('processes', message) : warn('processes', message, SEE_PROCESSES)
}

async function backupAge(db: Database, folder: string): Promise<Check> {
  const failed = await failedBackup(db, folder)
  if (failed !== null)
    return warn(
      'backup',
      `The one begun at ${new Date(failed.at).toISOString()} failed: ${failed.detail ?? 'it was stopped before it was complete.'}`,
      'Run reeve backup.',
    )
  const last = await lastBackup(db.read)
  const fix = 'Run reeve backup, every night (docs/operations.md).'
  if (last === null) return warn('backup', 'None has ever been taken with reeve backup.', fix)
  const { at, file } = last
  const days = Math.floor((Date.now() - at) / DAY)
  const message = `The last one is from ${new Date(at).toISOString()}.`
  if (file !== null && (await stat(file).catch(() => null)) === null)
    return warn(
      'backup',
      `${message} It is no longer at ${file}.`,
      'Unless it was moved to a safe place, run reeve backup.',
    )
  return days > 7 ? warn('backup', message, fix) : ok('backup', message)
}
