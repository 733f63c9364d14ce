import type { Caller } from '../../../../contract/route.ts'
import type { Trx } from '../../../db/database.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import type { RoleRule } from '../role-rules.ts'
import { refuseRunningCall } from '../store/module-lock.ts'
import { type ModuleRecord, versionOf } from '../store/module-record.ts'

export interface Removal<Backup extends string | null> {
  /** Keeps what is removed, together with the rules that allow its tools; returns the file name. */
  backUp(allowing: RoleRule[]): Promise<Backup>
  /** Removes the rows. Only queries. */
  work(trx: Trx, now: number): Promise<void>
  /** For the audit log. */
  readonly details?: Record<string, unknown>
}

/**
 * Backs a module up, removes its rows and the rules that allow its tools, and stops it. If that fails the backup is removed again. The
 * caller holds the module's lock.
 * @throws {AppError} module_busy
 */
export async function removeModule<Backup extends string | null>(
  context: CatalogueContext,
  record: ModuleRecord,
  caller: Caller,
  { backUp, work, details }: Removal<Backup>,
): Promise<{ backup: Backup; allowing: RoleRule[] }> {
  const { name } = record
  refuseRunningCall(context.host, name)
  const allowing = (await context.rules.about(name)).filter(({ effect }) => effect === 'allow')
  const backup = await backUp(allowing)
  try {
    await context.change(record, {
      caller,
      action: 'module.uninstalled',
      details: { version: versionOf(record), backup, ...details, rules: allowing.length },
      async work(trx, now) {
        await work(trx, now)
        await context.rules.withdraw(trx, name)
      },
    })
  } catch (error) {
    if (backup !== null) await context.backups.remove(backup)
    throw error
  }
  context.faults.delete(name)
  await context.host.stopped(name).catch((error: unknown) => {
    context.log.warn({ err: error, module: name }, 'removed module does not stop')
  })
  return { backup, allowing }
}
