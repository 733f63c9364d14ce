import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig } from '../config.ts'
import { lockFolder } from '../db/folder-lock.ts'
import { loadOrCreateKey } from '../kernel/vault.ts'
import { restoreBackup } from '../operation/restore-backup.ts'
import { keyFingerprint } from './backup-source-of.ts'
import { type Command, CommandProblem, onlyPositional } from './command.ts'
import { openStores, refuseOthersFolder } from './open-place.ts'

/** `reeve restore`: a backup becomes the content of the place that the settings describe, whichever database that is. */
export const restoreCommand: Command = {
  summary: 'put a backup in the place that the settings describe',
  usage: 'restore <backup.zip> [--force] [--key-file <file>] [--lose-secrets]',
  about: `The service must be stopped. The backup may come from the other kind of database. Everything is made and compared beside what
is there, and takes its place in one step: a restore that is killed leaves what was there.

--force          there is a database already: it is kept aside, and the backup takes its place
--key-file       the secret key that belongs to the backup, where it is not in it
--lose-secrets   the key is lost: go on, and give passwords of modules and engines, and second factors, again

Everybody signs in again afterwards. Runs that were under way are stopped: nobody knows what they did after the backup.`,
  options: {
    force: { type: 'boolean', default: false },
    'key-file': { type: 'string' },
    'lose-secrets': { type: 'boolean', default: false },
  },
  async run(terminal, given) {
    const file = terminal.path(onlyPositional(given, 'one backup'))
    const config = readConfig(terminal.env)
    const { dataFolder, databaseUrl } = config
    await refuseOthersFolder(dataFolder)
    await mkdir(dataFolder, { recursive: true, mode: 0o700 })
    using _lock = lockFolder(dataFolder)
    const { values } = given
    const keyFile = values['key-file'] as string | undefined
    const report = await restoreBackup(
      file,
      {
        dataFolder,
        databaseUrl,
        stores: (folders) => openStores(config, folders),
        keys: {
          set: config.secretKey,
          given: keyFile === undefined ? null : await readKey(terminal.path(keyFile)),
          kept: await readFile(join(dataFolder, 'secret.key'), 'utf8').catch(() => null),
        },
        fingerprint: (key) => keyFingerprint(loadOrCreateKey(dataFolder, key.trim())),
      },
      {
        force: values['force'] === true,
        loseSecrets: values['lose-secrets'] === true,
        progress: terminal.progress,
      },
    )
    const lines = [
      `Restored the backup of ${report.taken_at}. Tables: ${report.tables}. Rows: ${report.rows}. Files: ${report.files}.`,
      ...(report.migrated.length > 0 ? [`Brought up to date: ${report.migrated.join(', ')}.`] : []),
      ...report.aside.map((where) => `What was there before is kept in ${where}. Remove it when all is well.`),
      'Start the service now. Everybody signs in again.',
    ]
    return { code: 0, value: { ok: true, ...report }, text: lines.join('\n') }
  },
}

async function readKey(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandProblem(`The key file ${file} cannot be read (${error.code}).`)
  })
}
