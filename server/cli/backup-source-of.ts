import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { openSnapshot } from '../db/snapshot/open-snapshot.ts'
import { loadOrCreateKey, openVault } from '../kernel/vault.ts'
import type { BackupSource } from '../operation/backup-source.ts'
import { holdBytes } from '../operation/backup-hold.ts'
import { openStores, type Place, storeFolders } from './open-place.ts'

/** What a module wrote, and bundles of removed modules. Everything else below `modules` is made again. */
const FOLDERS = ['modules/data', 'modules/backups']
/** Their keys are worth as much as the secret key. */
const FOLDERS_WITH_KEYS = ['certificates']

/** Everything that a backup of this place is made of. */
export async function backupSource({ config, db }: Place, withKey: boolean): Promise<BackupSource> {
  const { dataFolder, databaseUrl, secretKey } = config
  const key = loadOrCreateKey(dataFolder, secretKey)
  const { files, packages } = await openStores(config, storeFolders(dataFolder))
  const folders = withKey ? [...FOLDERS, ...FOLDERS_WITH_KEYS] : FOLDERS
  return {
    reeveVersion: manifest.version,
    database: databaseUrl === null ? 'sqlite' : 'postgres',
    hold: () => holdBytes(db),
    snapshot: () => openSnapshot(databaseUrl, dataFolder),
    files,
    packages,
    folders: folders.map((path) => ({ path, folder: join(dataFolder, path) })),
    key: {
      fingerprint: keyFingerprint(key),
      text: withKey ? (secretKey ?? (await readFile(join(dataFolder, 'secret.key'), 'utf8'))) : null,
    },
    taken: async (at, bytes) => {
      const value = JSON.stringify({ at, bytes })
      await db.read
        .insertInto('setting')
        .values({ key: 'last_backup', value, updated_at: at })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_at: at }))
        .execute()
    },
  }
}

/** Tells two keys apart, and nothing about either. */
export function keyFingerprint(key: Buffer): string {
  return openVault(key).hmac('backup key fingerprint', '')
}
