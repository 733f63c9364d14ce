import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig } from '../app/config.ts'
import { lockFolder } from '../db/folder-lock.ts'
import { openVault, parseKey } from '../kernel/vault.ts'
import { restoreBackup } from '../operation/backup/restore-backup.ts'
import { keyFingerprint } from './backup-source-of.ts'
import { type Command, CommandProblem, onlyPositional } from './command.ts'
import { openStores, refuseOthersFolder } from './open-place.ts'

/**
 * `reeve restore`: a backup becomes the content of the installation described by the settings, whichever database that
 * uses.
 */
export const restoreCommand: Command = {
  summary: 'restore a backup to the installation described by the settings',
  usage: 'restore <backup.zip> [--force] [--key-file <file>] [--lose-secrets]',
  about: `The service must be stopped. The backup may come from the other kind of database. Everything is built and compared alongside the
existing content, and replaces it in one step: a restore that is killed leaves the existing content unchanged.

--force          if there is a database already: move it aside and replace it by the backup
--key-file       the secret key that belongs to the backup, if it is not included
--lose-secrets   the key is lost: continue; module passwords, engine keys and second factors must be set up again

All users must sign in again afterwards. Runs in progress are stopped: it is unknown what they did after the backup.`,
  options: {
    force: { type: 'boolean', default: false },
    'key-file': { type: 'string' },
    'lose-secrets': { type: 'boolean', default: false },
  },
  async run(terminal, given) {
    const file = terminal.path(onlyPositional(given, 'one backup'))
    const config = readConfig(terminal.env)
    const { dataFolder, databaseListenUrl: databaseUrl } = config
    await refuseOthersFolder(dataFolder)
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
        fingerprint: (key) => keyFingerprint(openVault(parseKey(key, 'of this restore'))),
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
      ...report.aside.map((where) => `The previous content is kept in ${where}. Remove it once everything works.`),
      'Start the service now. All users must sign in again.',
    ]
    return { code: 0, value: { ok: true, ...report }, text: lines.join('\n') }
  },
}

async function readKey(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandProblem(`The key file ${file} cannot be read (${error.code}).`)
  })
}
