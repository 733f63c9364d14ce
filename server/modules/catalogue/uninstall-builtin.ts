import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Caller } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { packFolder } from '../bundle/pack-folder.ts'
import { BACKUP_META, signSnapshot } from './builtin-snapshot.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { refuseLastBuiltin } from './disable-module.ts'
import { refuseRunningCall } from './module-lock.ts'
import { type ModuleRecord, versionOf } from './module-record.ts'
import { saveRow } from './module-rows.ts'

/**
 * Removes a built-in module so that no upgrade of Reeve brings it back by itself. The returned backup is a bundle of it with its settings,
 * secrets still sealed: installing that file, or restoring, brings it back.
 * @throws {AppError} not_found, module_removed, last_module, module_busy, backup_failed
 */
export async function uninstallBuiltin(context: CatalogueContext, name: string, caller: Caller): Promise<string> {
  const known = context.records().get(name)
  if (known?.kind !== 'builtin') throw new AppError('not_found', say`There is no such built-in module.`)
  if (known.removed) throw new AppError('module_removed', say`${name} is removed already.`)
  return context.locks.hold(name, async () => {
    const record = context.record(name)
    refuseLastBuiltin(context, name, () => true)
    refuseRunningCall(context.host, name)
    const backup = await backUp(context, record)
    try {
      await context.change(record, {
        caller,
        action: 'module.uninstalled',
        details: { version: versionOf(record), backup },
        async work(trx, now) {
          await saveRow(trx, record, { removed: 1, settings: '{}' }, now)
          await trx.deleteFrom('module_secret').where('module', '=', name).execute()
        },
      })
    } catch (error) {
      await context.backups.remove(backup)
      throw error
    }
    await context.host.stopped(name).catch((error: unknown) => {
      context.log.warn({ err: error, module: name }, 'removed built-in module does not stop')
    })
    return backup
  })
}

async function backUp(context: CatalogueContext, record: ModuleRecord): Promise<string> {
  const { name, display_name } = record
  const label = { name, display_name, version: versionOf(record), builtin: true, removed_at: Date.now() }
  try {
    await using staging = await context.trees.stage()
    const folder = join(staging.folder, 'bundle')
    await mkdir(folder)
    await cp(join(context.builtinFolder, name), folder, { recursive: true })
    const { _meta: meta, ...manifest } = { _meta: {}, ...record.manifest }
    const snapshot = signSnapshot(context.vault, record)
    // Only since 0.3 may a manifest have _meta.
    const written = { ...manifest, manifest_version: '0.3', _meta: { ...meta, [BACKUP_META]: snapshot } }
    await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(written, null, 2)}\n`)
    return await context.backups.add(label, async (file) => {
      await packFolder(folder, file)
    })
  } catch (error) {
    throw new AppError(
      'backup_failed',
      say`The backup could not be written, so the module stays. Look for space on the disk.`,
      {
        cause: error,
      },
    )
  }
}
