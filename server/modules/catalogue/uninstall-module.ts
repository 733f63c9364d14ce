import { readdir } from 'node:fs/promises'
import type { Caller } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { removeTree } from '../bundle/remove-tree.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { dataFolderOf } from './module-launch.ts'
import { refuseRunningCall } from './module-lock.ts'
import { type ModuleRecord, versionOf } from './module-record.ts'

export interface UninstallAnswer {
  readonly id: string
  /** What is gone and what stays, in words. */
  readonly removed: string[]
  readonly kept: string[]
  readonly backup: string | null
}

/**
 * Removes an installed module with its versions, settings, secrets and agreements. Its current bundle stays as a backup, its data unless
 * `deleteData`; rules about its tools stay too, because they only name them.
 * @throws {AppError} module_is_builtin, module_busy
 */
export async function uninstallModule(
  context: CatalogueContext,
  name: string,
  deleteData: boolean,
  caller: Caller,
): Promise<UninstallAnswer> {
  return context.locks.hold(name, async () => {
    const record = context.record(name)
    if (record.kind === 'builtin') {
      throw new AppError(
        'module_is_builtin',
        say`${name} is a built-in module: uninstall it as one, which keeps a way back.`,
      )
    }
    refuseRunningCall(context.host, name)
    const backup = await backUp(context, record)
    try {
      await context.change(record, {
        caller,
        action: 'module.uninstalled',
        details: { version: versionOf(record), backup, delete_data: deleteData },
        async work(trx) {
          for (const table of ['module_pin', 'module_secret', 'module_version', 'module'] as const) {
            await trx.deleteFrom(table).where('module', '=', name).execute()
          }
        },
      })
    } catch (error) {
      if (backup !== null) await context.backups.remove(backup)
      throw error
    }
    context.faults.delete(name)
    await context.host.stopped(name).catch((error: unknown) => {
      context.log.warn({ err: error, module: name }, 'uninstalled module does not stop')
    })
    for (const { digest } of record.versions) await context.trees.remove(digest)

    const removed = record.versions.map(({ version }) => `version ${version}`)
    if (Object.keys(record.settings).length > 0) removed.push('settings')
    if (record.secrets.size > 0) removed.push('secrets')
    if (record.pins.size > 0) removed.push('agreements to tools')
    const kept = backup === null ? [] : [`backup ${backup}`]
    if (await hasData(context, name)) {
      if (deleteData) await removeTree(dataFolderOf(context, name))
      ;(deleteData ? removed : kept).push('data folder')
    }
    return { id: name, removed, kept, backup }
  })
}

/** The current bundle as it was installed; null for a remote module, and where the package is gone. */
async function backUp(context: CatalogueContext, record: ModuleRecord): Promise<string | null> {
  const { current, name, display_name } = record
  if (current === null) return null
  const label = { name, display_name, version: current.version, builtin: false, removed_at: Date.now() }
  try {
    return await context.backups.add(label, (file) => context.trees.copyPackage(current.digest, file))
  } catch (error) {
    if (error instanceof AppError && error.code === 'module_package_missing') return null
    throw error
  }
}

async function hasData(context: CatalogueContext, name: string): Promise<boolean> {
  const names = await readdir(dataFolderOf(context, name)).catch(() => [])
  return names.length > 0
}
