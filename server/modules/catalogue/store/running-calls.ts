import { isCalled } from '../../../db/running-calls.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import type { CatalogueContext } from '../catalogue-context.ts'

/**
 * Refuses while a call is running in this process or another: it would be lost, and what it did would be unknown. A call
 * whose run nobody drives any more is not running, whatever its row says until the run is taken over.
 * @throws {AppError} module_busy
 */
export async function refuseRunningCall(
  { db, host }: Pick<CatalogueContext, 'db' | 'host'>,
  name: string,
): Promise<void> {
  if (host.busy(name) || (await isCalled(db, name))) {
    throw new AppError('module_busy', say`A call is running in the module ${name}. Wait for its end, or stop it.`)
  }
}
