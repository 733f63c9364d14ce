import { readdir } from 'node:fs/promises'
import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import { removeTree } from '../../bundle/archive/remove-tree.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { dataFolderOf } from '../module-launch.ts'
import { removeModule } from './remove-module.ts'
import type { ModuleRecord } from '../store/module-record.ts'
import type { RoleRule } from '../role-rules.ts'

export interface UninstallAnswer {
  readonly id: string
  /** What was removed and what is kept, in words. */
  readonly removed: string[]
  readonly kept: string[]
  readonly backup: string | null
}

/**
 * Removes an installed module with its versions, settings, secrets and agreements. Its current bundle is kept as a backup, and its data
 * unless `deleteData`. Rules that allow its tools are removed and kept in the backup, because the next module of that name may be
 * another author's; rules that ask or deny stay.
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
    const { backup, allowing } = await removeModule(context, record, caller, {
      backUp: (rules) => backUp(context, record, rules),
      details: { delete_data: deleteData },
      async work(trx) {
        for (const table of ['module_pin', 'module_secret', 'module_version', 'module'] as const) {
          await trx.deleteFrom(table).where('module', '=', name).execute()
        }
      },
    })
    for (const { digest } of record.versions) await context.trees.remove(digest)

    const removed = record.versions.map(({ version }) => `version ${version}`)
    if (Object.keys(record.settings).length > 0) removed.push('settings')
    if (record.secrets.size > 0) removed.push('secrets')
    if (record.pins.size > 0) removed.push('agreements to tools')
    if (allowing.length > 0) removed.push('rules that allow its tools')
    const kept = backup === null ? [] : [`backup ${backup}`]
    if (await hasData(context, name)) {
      if (deleteData) await removeData(context, name)
      ;(deleteData ? removed : kept).push('data folder')
    }
    return { id: name, removed, kept, backup }
  })
}

/** Backs up the current bundle as it was installed; null for a remote module, or if the package is missing. */
async function backUp(
  context: CatalogueContext,
  record: ModuleRecord,
  allowing: readonly RoleRule[],
): Promise<string | null> {
  const { current, name, display_name } = record
  if (current === null) return null
  const { version, digest } = current
  const label = { name, display_name, version, builtin: false, removed_at: Date.now(), digest, rules: [...allowing] }
  try {
    return await context.backups.add(label, (file) => context.trees.copyPackage(current.digest, file))
  } catch (error) {
    if (error instanceof AppError && error.code === 'module_package_missing') return null
    throw error
  }
}

/** Here, or kept for whichever process runs it next. */
async function hasData(context: CatalogueContext, name: string): Promise<boolean> {
  const names = await readdir(dataFolderOf(context, name)).catch(() => [])
  return names.length > 0 || (await context.shared?.data.has(name)) === true
}

function removeData(context: CatalogueContext, name: string): Promise<void> {
  return context.shared === null ? removeTree(dataFolderOf(context, name)) : context.shared.data.remove(name)
}
