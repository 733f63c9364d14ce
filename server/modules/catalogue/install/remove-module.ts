import type { Caller } from '../../../../contract/route.ts'
import type { Trx } from '../../../db/database.ts'
import { markPerhapsUnused } from '../../../db/objects/unused-objects.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import type { BackupLabel } from './backups.ts'
import type { RoleRule } from '../role-rules.ts'
import type { StoredPackage } from '../store/package-trees.ts'
import { refuseRunningCall } from '../store/running-calls.ts'
import { type ModuleRecord, versionOf } from '../store/module-record.ts'

/** What is kept of a module that is removed. */
export interface KeptBundle {
  readonly label: BackupLabel
  readonly stored: StoredPackage
  /** Whether it was stored for this, so that nothing names it if the removal fails. */
  readonly fresh: boolean
}

export interface Removal {
  /** Has the bundle that is kept in the store, together with the rules that allow its tools; null: nothing is kept. */
  keep(allowing: RoleRule[]): Promise<KeptBundle | null>
  /** Removes the rows. Only queries. */
  work(trx: Trx, now: number, kept: KeptBundle | null): Promise<void>
  /** For the audit log. */
  readonly details?: Record<string, unknown>
}

/**
 * Keeps a module as a backup, removes its rows and the rules that allow its tools, all in one transaction, and stops it.
 * The caller holds the module's lock. Returns the file name of the backup.
 * @throws {AppError} module_busy
 */
export async function removeModule(
  context: CatalogueContext,
  record: ModuleRecord,
  caller: Caller,
  { keep, work, details }: Removal,
): Promise<{ backup: string | null; allowing: RoleRule[] }> {
  const { name } = record
  await refuseRunningCall(context, name)
  const allowing = (await context.rules.about(name)).filter(({ effect }) => effect === 'allow')
  const kept = await keep(allowing)
  let backup: string | null = null
  try {
    if (kept !== null) backup = await context.backups.nameFor(kept.label)
    await context.change(record, {
      caller,
      action: 'module.uninstalled',
      idle: true,
      details: { version: versionOf(record), backup, ...details, rules: allowing.length },
      async work(trx, now) {
        if (kept !== null && backup !== null) await context.backups.add(trx, backup, kept.label, kept.stored)
        await work(trx, now, kept)
        await context.rules.withdraw(trx, name)
      },
    })
  } catch (error) {
    if (kept?.fresh) await markPerhapsUnused(context.db, 'packages', [kept.stored.stored_as])
    throw error
  }
  context.faults.delete(name)
  await context.host.stopped(name).catch((error: unknown) => {
    context.log.warn({ err: error, module: name }, 'removed module does not stop')
  })
  return { backup, allowing }
}
