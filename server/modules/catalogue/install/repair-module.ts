import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { refuseOwnCall, refuseRunningCall } from '../store/running-calls.ts'
import { obstacleOf } from '../standing.ts'

/**
 * Unpacks the current version again, and starts it if it should be running.
 * @throws {AppError} module_package_missing, module_busy
 */
export async function repairModule(context: CatalogueContext, name: string, caller: Caller): Promise<void> {
  await context.locks.hold(name, async () => {
    const record = context.record(name)
    if (record.current === null) {
      throw new AppError('module_package_missing', say`Only modules that were installed from a bundle can be repaired.`)
    }
    await refuseRunningCall(context, name)
    refuseOwnCall(context, name)
    // Its files are being replaced, so nothing may run from them meanwhile.
    const endTrial = context.tryOut({ ...record, enabled: false })
    try {
      await context.host.stopped(name)
      await context.trees.renew(record.current.digest)
      context.faults.delete(name)
    } finally {
      endTrial()
    }
    await context.change(record, {
      caller,
      action: 'module.repaired',
      details: { version: record.current.version },
      work: async () => {},
    })
    if (record.enabled && obstacleOf(context, context.record(name)) === null) {
      await context.host.started(name).catch(() => undefined)
    }
  })
}
