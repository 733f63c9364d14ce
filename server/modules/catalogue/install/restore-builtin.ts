import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import type { UnpackedBundle } from '../../bundle/archive/unpacked-bundle.ts'
import { signedIn, type Snapshot, verifySnapshot } from './builtin-snapshot.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { saveRow, saveSecret } from '../store/module-rows.ts'

/**
 * Restores a removed built-in module with the state in its newest backup or, if that is asked for, with its defaults.
 * @throws {AppError} not_found, module_not_removed, backup_unreadable
 */
export async function restoreBuiltin(
  context: CatalogueContext,
  name: string,
  settings: 'backup' | 'default',
  caller: Caller,
): Promise<void> {
  const known = context.records().get(name)
  if (known?.kind !== 'builtin') throw new AppError('not_found', say`There is no such built-in module.`)
  if (!known.removed) throw new AppError('module_not_removed', say`${name} is not removed.`)
  await context.locks.hold(name, async () => {
    const plain: Snapshot = { module: name, version: '', enabled: true, settings: {}, secrets: {} }
    await restoreSnapshot(context, settings === 'default' ? plain : await newestSnapshot(context, name), caller)
  })
}

/**
 * The state in the backup of a built-in, provided that this installation made `bundle` and the module is removed.
 * @throws {AppError} name_of_builtin otherwise: nothing else may take the place of a built-in
 */
export function readSnapshot(context: CatalogueContext, { slug, manifest }: UnpackedBundle): Snapshot {
  const snapshot = verifySnapshot(context.vault, signedIn(manifest))
  if (snapshot?.module !== slug) {
    throw new AppError(
      'name_of_builtin',
      say`${slug} is the name of a built-in module. Only a backup of it that this installation made can be installed under it.`,
    )
  }
  if (!context.records().get(slug)?.removed) {
    throw new AppError(
      'name_of_builtin',
      say`The built-in module ${slug} is not removed, so there is nothing to bring back.`,
    )
  }
  return snapshot
}

/** The caller must hold the module's lock. */
export async function restoreSnapshot(context: CatalogueContext, snapshot: Snapshot, caller: Caller): Promise<void> {
  const { module } = snapshot
  const record = context.records().get(module)
  if (!record?.removed) throw new AppError('module_not_removed', say`${module} is not removed.`)
  await context.change(record, {
    caller,
    action: 'module.restored',
    details: { version: record.builtin?.manifest.version ?? '', settings: Object.keys(snapshot.settings).length },
    async work(trx, now) {
      const enabled = snapshot.enabled ? 1 : 0
      await saveRow(trx, record, { removed: 0, enabled, settings: JSON.stringify(snapshot.settings) }, now)
      for (const [key, sealed] of Object.entries(snapshot.secrets)) await saveSecret(trx, module, key, sealed, now)
    },
  })
}

async function newestSnapshot(context: CatalogueContext, name: string): Promise<Snapshot> {
  const newest = await context.backups.newestOf(name, null)
  const snapshot = verifySnapshot(context.vault, newest?.state ?? null)
  if (snapshot === null)
    throw new AppError(
      'backup_unreadable',
      say`The settings that ${name} had cannot be read: there is no backup of it, or it was made with another secret key. Install its backup file if you have it, or bring the module back with its default settings.`,
    )
  return snapshot
}
