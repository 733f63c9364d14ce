import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { recordAttempt } from '../operation/backup/backup-attempt.ts'
import { takeBackup } from '../operation/backup/take-backup.ts'
import { backupSource } from './backup-source-of.ts'
import { type Command, CommandProblem, UsageProblem } from './command.ts'
import { openPlace } from './open-place.ts'

/** --keep removes only files named by this command and `migrate`: the newest of each kind are kept. */
const OWN_NAMES = [/^reeve-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.zip$/, /^before-\d{4}-[a-z0-9-]+-\d{13}\.zip$/]
/** Left by a killed backup, and the scratch folder in which it was verified. */
const UNFINISHED =
  /^(reeve-\d{4}-\d\d-\d\dT[\d-]+Z|before-\d{4}-[a-z0-9-]+-\d{13})\.zip\.unfinished$|^\.verifying-[A-Za-z0-9]{6}$/
const KILLED_MS = 6 * 3_600_000

/** `reeve backup`: everything a new machine needs, in one file. */
export const backupCommand: Command = {
  summary: 'write everything into one file while the service is running, and check that it can be restored',
  usage: 'backup [<folder or new .zip file>] [--keep <number>] [--with-key] [--no-verify]',
  about: `By default the file is written to backups/ in the data folder; copy it to another machine. It contains the database as it was at
a single moment, stored files, module packages and their data. It is restored into a scratch folder and compared
before it appears under its name; --no-verify skips that.

--keep 7      removes all but the seven newest backups in that folder
--with-key    includes the secret key, and the certificates with their keys. Values such as engine keys are sealed with
              the secret key: without it a backup alone reveals them to no one, and you must provide it for a restore.`,
  options: {
    keep: { type: 'string' },
    'with-key': { type: 'boolean', default: false },
    'no-verify': { type: 'boolean', default: false },
  },
  async run(terminal, { values, positionals }) {
    if (positionals.length > 1) throw new UsageProblem('Name one folder or file.')
    const keep = values['keep'] === undefined ? null : Number(values['keep'])
    if (keep !== null && !(Number.isInteger(keep) && keep >= 1)) throw new UsageProblem('--keep takes a number from 1.')
    await using place = await openPlace(terminal)
    const where =
      positionals[0] === undefined ? join(place.config.dataFolder, 'backups') : terminal.path(positionals[0])
    const isFile = await namesFile(where)
    if (keep !== null && isFile) throw new UsageProblem('--keep needs a folder, not a file.')
    const report = await recordAttempt(place.db, place.config.dataFolder, async () =>
      takeBackup(await backupSource(place, values['with-key'] === true), {
        target: isFile ? await newFile(where) : await fileIn(where),
        verify: values['no-verify'] !== true,
        progress: terminal.progress,
      }),
    )
    const removed = keep === null ? [] : await removeOld(where, keep)
    const { file, bytes, rows, files, packages, missing, verified, key_included } = report
    const lines = [
      `${file}: ${(bytes / 1e6).toFixed(1)} MB. Rows: ${rows}. Files: ${files}. Packages of modules: ${packages}.`,
      verified ? 'It was restored into a scratch folder, and everything was intact.' : 'It was not verified.',
      key_included
        ? 'The secret key is in it: keep the file as safe as the key.'
        : 'The secret key is not in it: keep secret.key of the data folder (or REEVE_SECRET_KEY) somewhere else.',
      ...missing.map((id) => `Missing in the storage, and so in the backup: ${id}`),
      ...removed.map((name) => `Removed: ${name}`),
    ]
    return { code: 0, value: { ok: true, ...report, removed }, text: lines.join('\n') }
  },
}

async function namesFile(where: string): Promise<boolean> {
  const found = await stat(where).catch(() => null)
  return found === null ? where.endsWith('.zip') : found.isFile()
}

async function newFile(file: string): Promise<string> {
  if (await stat(file).catch(() => null))
    throw new CommandProblem(`${file} already exists. Name another file, or a folder.`)
  return file
}

async function fileIn(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
  return join(folder, `reeve-${time}Z.zip`)
}

async function removeOld(folder: string, keep: number): Promise<string[]> {
  const all = await readdir(folder)
  const old = OWN_NAMES.flatMap((own) => {
    const names = all.filter((name) => own.test(name)).sort((a, b) => (timeIn(a) < timeIn(b) ? -1 : 1))
    return names.slice(0, Math.max(0, names.length - keep))
  })
  for (const name of all.filter((each) => UNFINISHED.test(each))) {
    const { mtimeMs } = await stat(join(folder, name))
    if (Date.now() - mtimeMs > KILLED_MS) old.push(name)
  }
  for (const name of old) await rm(join(folder, name), { recursive: true })
  return old
}

/** The time within a name, by which names of one kind are sorted. */
function timeIn(name: string): string {
  return /\d{13}(?=\.zip$)/.exec(name)?.[0] ?? name
}
