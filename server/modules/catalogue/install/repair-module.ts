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
    // The files that it runs from are those of its owner.
    if ((await context.shared?.askOwner(name, 'repair', null)) === undefined) await renewFiles(context, name)
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

/** Unpacks the current version of a module again on this machine, and lets it run again. */
export async function renewFiles(context: CatalogueContext, name: string): Promise<void> {
  const { current } = context.record(name)
  if (current === null) return
  // Its files are being replaced, so nothing may run from them meanwhile.
  const goOn = context.pause(name)
  try {
    await context.host.stopped(name)
    await context.trees.renew(current.digest)
    context.faults.delete(name)
  } finally {
    goOn()
  }
}
