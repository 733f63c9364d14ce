import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { refuseRunningCall } from '../store/running-calls.ts'
import { saveRow } from '../store/module-rows.ts'

/**
 * Gives a bundle a memory limit of its own or, with null, the common one. A running module is restarted with it.
 * @throws {AppError} not_a_bundle, module_busy
 */
export async function saveLimits(
  context: CatalogueContext,
  name: string,
  memory_mib: number | null,
  caller: Caller,
): Promise<void> {
  await context.locks.hold(name, async () => {
    const record = context.record(name)
    if (record.kind !== 'bundle')
      throw new AppError('not_a_bundle', say`Only a module that was installed from a bundle has a limit of its own.`)
    if (record.memory_mib === memory_mib) return
    await refuseRunningCall(context, name)
    await context.change(record, {
      caller,
      action: 'module.limits_changed',
      details: { memory_mib },
      idle: true,
      work: (trx, now) => saveRow(trx, record, { memory_mib }, now),
    })
  })
}
