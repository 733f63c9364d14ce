import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Caller } from '../../../../contract/route.ts'
import { markUnused } from '../../../db/objects/unused-objects.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import { removeTree } from '../../bundle/archive/remove-tree.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { dataFolderOf } from '../module-launch.ts'
import { type KeptBundle, removeModule } from './remove-module.ts'
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
      keep: (rules) => keepBundle(context, record, rules),
      details: { delete_data: deleteData },
      async work(trx, _now, kept) {
        const stored = record.versions.map(({ stored_as }) => stored_as)
        const unused = stored.filter((id) => id !== kept?.stored.stored_as)
        await markUnused(context.db, trx, 'packages', unused)
        for (const table of ['module_pin', 'module_secret', 'module_version', 'module'] as const) {
          await trx.deleteFrom(table).where('module', '=', name).execute()
        }
      },
    })
    for (const { digest } of record.versions) await context.trees.removeTree(digest)

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

/** The current bundle as it was installed; null for a remote module, or if the package is missing. */
async function keepBundle(
  context: CatalogueContext,
  { current, name, display_name }: ModuleRecord,
  rules: RoleRule[],
): Promise<KeptBundle | null> {
  if (current === null) return null
  const { version, digest, stored_as } = current
  const removed_at = Date.now()
  const label = { name, display_name, version, builtin: false, removed_at, digest, rules, state: null }
  const stored = await context.trees.find(stored_as)
  if (stored === null) return null
  if (stored_as !== digest) return { label, stored, fresh: false }
  // Its object may be stored again by a process of an older version, so the backup gets one of its own.
  await using staging = await context.trees.stage()
  const file = join(staging.folder, 'bundle')
  await context.trees.copyPackage(digest, file)
  return { label, stored: await context.trees.store(digest, file), fresh: true }
}

/** Here, or kept for whichever process runs it next. */
async function hasData(context: CatalogueContext, name: string): Promise<boolean> {
  const names = await readdir(dataFolderOf(context, name)).catch(() => [])
  return names.length > 0 || (await context.shared?.data.has(name)) === true
}

function removeData(context: CatalogueContext, name: string): Promise<void> {
  return context.shared === null ? removeTree(dataFolderOf(context, name)) : context.shared.data.remove(name)
}
