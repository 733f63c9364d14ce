import type { Reader } from '../../../db/database.ts'
import { isCalled } from '../../../db/running-calls.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import type { CatalogueContext } from '../catalogue-context.ts'

/**
 * Refuses while a call is running in this process or another: it would be lost, and what it did would be unknown. A call
 * whose run nobody drives any more is not running, whatever its row says until the run is taken over. Only in the
 * transaction that changes the module does the answer hold until the change; elsewhere it spares work.
 * @throws {AppError} module_busy
 */
export async function refuseRunningCall(
  { db, host }: Pick<CatalogueContext, 'db' | 'host'>,
  name: string,
  reader: Reader = db.read,
): Promise<void> {
  if (await isCalled(db, reader, name)) throw busyCalling(name)
  refuseOwnCall({ host }, name)
}

/**
 * The same for this process alone, at once: right before its module is stopped or restarted.
 * @throws {AppError} module_busy
 */
export function refuseOwnCall({ host }: Pick<CatalogueContext, 'host'>, name: string): void {
  if (host.busy(name)) throw busyCalling(name)
}

function busyCalling(name: string): AppError {
  return new AppError('module_busy', say`A call is running in the module ${name}. Wait for its end, or stop it.`)
}
