import type { Instances } from '../../../../contract/modules.ts'
import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { refuseRunningCall } from '../store/running-calls.ts'
import { saveRow } from '../store/module-rows.ts'

/**
 * Chooses whether each process runs a bundle of its own or one for all of them; with null, what the bundle says holds.
 * @throws {AppError} not_a_bundle, module_busy
 */
export async function saveInstances(
  context: CatalogueContext,
  name: string,
  instances: Instances | null,
  caller: Caller,
): Promise<void> {
  await context.locks.hold(name, async () => {
    const record = context.record(name)
    if (record.kind !== 'bundle')
      throw new AppError('not_a_bundle', say`Only a module that was installed from a bundle has processes of its own.`)
    if (record.instances === instances) return
    await refuseRunningCall(context, name)
    await context.change(record, {
      caller,
      action: 'module.instances_changed',
      details: { instances },
      work: (trx, now) => saveRow(trx, record, { instances }, now),
    })
  })
}
