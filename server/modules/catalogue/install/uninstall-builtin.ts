import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import { storageFailure } from '../../../kernel/storage-failure.ts'
import { packFolder } from '../../bundle/archive/pack-folder.ts'
import { BACKUP_META, signSnapshot } from './builtin-snapshot.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { refuseLastBuiltin } from './disable-module.ts'
import { type KeptBundle, removeModule } from './remove-module.ts'
import { type ModuleRecord, versionOf } from '../store/module-record.ts'
import { saveRow } from '../store/module-rows.ts'
import type { RoleRule } from '../role-rules.ts'

/**
 * Removes a built-in module so that no upgrade of Reeve restores it automatically. The returned backup is a bundle of it with its
 * settings, secrets still sealed: installing that file, or restoring, brings the module back. Rules that allow its tools are removed
 * and kept with the backup.
 * @throws {AppError} not_found, module_removed, last_module, module_busy, backup_failed
 */
export async function uninstallBuiltin(context: CatalogueContext, name: string, caller: Caller): Promise<string> {
  const known = context.records().get(name)
  if (known?.kind !== 'builtin') throw new AppError('not_found', say`There is no such built-in module.`)
  if (known.removed) throw new AppError('module_removed', say`${name} is removed already.`)
  return context.locks.hold(name, async () => {
    const record = context.record(name)
    refuseLastBuiltin(context, name, () => true)
    const { backup } = await removeModule(context, record, caller, {
      keep: (allowing) => keepBuiltin(context, record, allowing),
      async work(trx, now) {
        await saveRow(trx, record, { removed: 1, settings: '{}' }, now)
        await trx.deleteFrom('module_secret').where('module', '=', name).execute()
      },
    })
    return backup ?? ''
  })
}

async function keepBuiltin(context: CatalogueContext, record: ModuleRecord, rules: RoleRule[]): Promise<KeptBundle> {
  const { name, display_name } = record
  const state = signSnapshot(context.vault, record)
  const kept = { digest: null, rules, state }
  const label = { name, display_name, version: versionOf(record), builtin: true, removed_at: Date.now(), ...kept }
  try {
    await using staging = await context.trees.stage()
    const folder = join(staging.folder, 'bundle')
    await mkdir(folder)
    await cp(join(context.builtinFolder, name), folder, { recursive: true })
    const { _meta: meta, ...manifest } = { _meta: {}, ...record.manifest }
    // Manifests may only have _meta since 0.3.
    const written = { ...manifest, manifest_version: '0.3', _meta: { ...meta, [BACKUP_META]: state } }
    await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(written, null, 2)}\n`)
    const file = join(staging.folder, 'packed')
    const { digest } = await packFolder(folder, file)
    return { label, stored: await context.trees.store(digest, file), fresh: true }
  } catch (error) {
    if (storageFailure(error) === 'away') throw error
    throw new AppError(
      'backup_failed',
      say`The backup could not be written, so the module stays. Look for space on the disk.`,
      {
        cause: error,
      },
    )
  }
}
