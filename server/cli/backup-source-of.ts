import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { openSnapshot } from '../db/snapshot/open-snapshot.ts'
import type { Vault } from '../kernel/vault.ts'
import type { BackupSource } from '../operation/backup/backup-source.ts'
import { holdBytes } from '../operation/backup/backup-hold.ts'
import { openStores, type Place, storeFolders } from './open-place.ts'
import { placeVault } from './place-vault.ts'

/** What modules wrote, and bundles of removed modules. Everything else below `modules` can be recreated. */
const FOLDERS = ['modules/data', 'modules/backups']
/** Their keys are as sensitive as the secret key. */
const FOLDERS_WITH_KEYS = ['certificates']

/** Everything a backup of this installation is made of. */
export async function backupSource(place: Place, withKey: boolean): Promise<BackupSource> {
  const { config, db } = place
  const { dataFolder, databaseUrl, databaseListenUrl, secretKey } = config
  const vault = await placeVault(place)
  const { files, packages } = await openStores(config, storeFolders(dataFolder))
  // Before the settings table existed, nothing could be held or recorded.
  const early = db.opened.pending.includes('0006-modules')
  const folders = withKey ? [...FOLDERS, ...FOLDERS_WITH_KEYS] : FOLDERS
  return {
    reeveVersion: manifest.version,
    database: databaseUrl === null ? 'sqlite' : 'postgres',
    hold: () => (early ? nothingHeld() : holdBytes(db)),
    snapshot: () => openSnapshot(databaseListenUrl, dataFolder),
    files,
    packages,
    folders: folders.map((path) => ({ path, folder: join(dataFolder, path) })),
    key: {
      fingerprint: keyFingerprint(vault),
      text: withKey ? (secretKey ?? (await readFile(join(dataFolder, 'secret.key'), 'utf8'))) : null,
    },
    taken: async (at, bytes, file) => {
      if (early) return
      const value = JSON.stringify({ at, bytes, file })
      await db.write
        .insertInto('setting')
        .values({ key: 'last_backup', value, updated_at: at })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_at: at }))
        .execute()
    },
  }
}

async function nothingHeld(): Promise<AsyncDisposable> {
  return { [Symbol.asyncDispose]: async () => undefined }
}

/** Distinguishes two keys without revealing anything about either. */
export function keyFingerprint(vault: Vault): string {
  return vault.hmac('backup key fingerprint', '')
}
