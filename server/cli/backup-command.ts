import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { takeBackup } from '../operation/take-backup.ts'
import { backupSource } from './backup-source-of.ts'
import { type Command, CommandProblem, UsageProblem } from './command.ts'
import { openPlace } from './open-place.ts'

/** Only what this command named is ever removed by --keep. */
const OWN_NAME = /^reeve-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.zip$/

/** `reeve backup`: everything that a new machine needs, in one file. */
export const backupCommand: Command = {
  summary: 'write everything into one file, while the service runs, and check that it can be restored',
  usage: 'backup [<folder or new .zip file>] [--keep <number>] [--with-key] [--no-verify]',
  about: `Without a place it goes into backups/ of the data folder; copy it to another machine. The file has the database as it was at
one moment, stored files, packages of modules and their data. It is restored into a scratch place and compared
before it appears under its name; --no-verify leaves that out.

--keep 7      removes all but the seven newest backups of that folder
--with-key    puts the secret key and the certificates with their keys into it. Values such as the keys of engines are
              sealed with it: without the key a backup alone gives them to nobody, and a restore needs it from you.`,
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
    const target = await chooseFile(where)
    if (keep !== null && target.folder === null) throw new UsageProblem('--keep needs a folder, not a file.')
    const source = await backupSource(place, values['with-key'] === true)
    const report = await takeBackup(source, {
      target: target.file,
      verify: values['no-verify'] !== true,
      progress: terminal.progress,
    })
    const removed = keep === null || target.folder === null ? [] : await removeOld(target.folder, keep)
    const { file, bytes, rows, files, packages, missing, verified, key_included } = report
    const lines = [
      `${file}: ${(bytes / 1e6).toFixed(1)} MB. Rows: ${rows}. Files: ${files}. Packages of modules: ${packages}.`,
      verified ? 'It was restored into a scratch place, and everything came back.' : 'It was not checked.',
      key_included
        ? 'The secret key is in it: keep the file as safe as the key.'
        : 'The secret key is not in it: keep secret.key of the data folder (or REEVE_SECRET_KEY) in another place.',
      ...missing.map((id) => `Missing in the storage, and so in the backup: ${id}`),
      ...removed.map((name) => `Removed: ${name}`),
    ]
    return { code: 0, value: { ok: true, ...report, removed }, text: lines.join('\n') }
  },
}

async function chooseFile(where: string): Promise<{ file: string; folder: string | null }> {
  const found = await stat(where).catch(() => null)
  if (found?.isFile()) throw new CommandProblem(`${where} is there already. Name another file, or a folder.`)
  if (where.endsWith('.zip') && !found) return { file: where, folder: null }
  await mkdir(where, { recursive: true, mode: 0o700 })
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
  return { file: join(where, `reeve-${time}Z.zip`), folder: where }
}

async function removeOld(folder: string, keep: number): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => OWN_NAME.test(name)).sort()
  const old = names.slice(0, Math.max(0, names.length - keep))
  for (const name of old) await rm(join(folder, name))
  return old
}
