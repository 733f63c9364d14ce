import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Database } from '../db/database.ts'
import { lockFolder } from '../db/folder-lock.ts'
import { lookAtPostgres } from '../db/snapshot/postgres-place.ts'
import { takeBackup } from '../operation/backup/take-backup.ts'
import { recordAttempt } from '../operation/backup/backup-attempt.ts'
import { backupSource } from './backup-source-of.ts'
import { type Command, CommandProblem } from './command.ts'
import { openPlace } from './open-place.ts'

/** `reeve migrate`: what a new version does at start-up, as a separate step, with a full backup first. */
export const migrateCommand: Command = {
  summary: 'bring the database up to date with this program, after a backup',
  usage: 'migrate [--check] [--contract] [--no-backup]',
  about: `The service must be stopped, except for --check, which only says what is pending (exit code 1 when something is), and for
--contract: once no process of the version before is left on a PostgreSQL database, it takes away what only that version
needed, while processes of this version run. Starting the service does the rest automatically; an embedded database is
copied first, a PostgreSQL database is not.`,
  options: {
    check: { type: 'boolean', default: false },
    contract: { type: 'boolean', default: false },
    'no-backup': { type: 'boolean', default: false },
  },
  async run(terminal, { values }) {
    await using place = await openPlace(terminal)
    const { config, db } = place
    const pending = [...db.opened.pending, ...db.opened.contract]
    if (pending.length === 0)
      return { code: 0, value: { pending, applied: [], backup: null }, text: 'The database is up to date.' }
    if (values['check'] === true)
      return {
        code: 1,
        value: { pending },
        text: `Pending: ${pending.join(', ')}. Stop the service and run reeve migrate.`,
      }
    const { dataFolder, databaseUrl, databaseListenUrl: listenUrl } = config
    using _lock = databaseUrl === null ? lockFolder(dataFolder) : null
    const running = databaseUrl !== null && (await lookAtPostgres(databaseUrl)).inUse
    const onlyContract = values['contract'] === true && db.opened.pending.length === 0
    if (running && !onlyContract)
      throw new CommandProblem('A Reeve is running on this database. Stop every process of it first.')
    let backup: string | null = null
    if (values['no-backup'] !== true) {
      const folder = join(dataFolder, 'backups')
      const target = join(folder, `before-${pending[0]}-${Date.now()}.zip`)
      terminal.note('Backing up first …')
      backup = await recordAttempt(db, dataFolder, async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const source = await backupSource(place, false)
        return (await takeBackup(source, { target, verify: true, progress: terminal.progress })).file
      })
    }
    await using migrated = await Database.open({
      url: databaseUrl,
      listenUrl,
      folder: dataFolder,
      contract: 'always',
      onError: (error) => terminal.note(error.message),
    })
    const { applied } = migrated.opened
    const text = [`Done: ${applied.join(', ')}.`, ...(backup === null ? [] : [`Backup: ${backup}`])].join('\n')
    return { code: 0, value: { pending: [], applied, backup }, text }
  },
}
