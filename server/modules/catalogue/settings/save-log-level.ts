import type { LogLevel } from '../../../../contract/modules.ts'
import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { saveRow } from '../store/module-rows.ts'

/**
 * From which level on a module is to tell what it does, from now on and without a restart. With null, as it decides from
 * its next start on. @throws {AppError} invalid_request for a built-in module
 */
export async function saveLogLevel(
  context: CatalogueContext,
  name: string,
  log_level: LogLevel | null,
  caller: Caller,
): Promise<void> {
  await context.locks.hold(name, async () => {
    const record = context.record(name)
    if (record.kind === 'builtin')
      throw new AppError('invalid_request', say`A built-in module tells what it does in the log of the service.`)
    if (record.log_level === log_level) return
    await context.change(record, {
      caller,
      action: 'module.log_level_changed',
      details: { log_level },
      work: (trx, now) => saveRow(trx, record, { log_level }, now),
    })
  })
}
