import type { ModuleWarning } from '../../../contract/modules.ts'
import type { Caller } from '../../../contract/route.ts'
import { ModuleStartError } from '../module-host.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { type ModuleRecord, versionOf } from './module-record.ts'
import { saveRow } from './module-rows.ts'
import { obstacleOf } from './standing.ts'

/**
 * Waits for the version that was just made the current one. When it does not come up, the module goes back to what it was `before`.
 * Returns a warning that says so; none when all went well.
 */
export async function bringUp(
  context: CatalogueContext,
  name: string,
  before: ModuleRecord,
  caller: Caller,
): Promise<ModuleWarning[]> {
  const record = context.record(name)
  // It waits for settings, say: that is no reason to go back.
  if (obstacleOf(context, record) !== null) return []
  try {
    await context.host.started(name)
    return []
  } catch (error) {
    if (!(error instanceof ModuleStartError)) throw error
    await context.change(record, {
      caller,
      action: 'module.rolled_back',
      details: { version: versionOf(before), from: versionOf(record), reason: error.message },
      work: (trx, now) =>
        saveRow(
          trx,
          record,
          { digest: before.current?.digest ?? null, display_name: before.display_name, consent: before.consent },
          now,
        ),
    })
    await context.host.started(name).catch(() => undefined)
    const message = `Version ${versionOf(record)} did not come up, so version ${versionOf(before)} runs again. ${error.message}`
    return [{ code: 'rolled_back', level: 'danger', message }]
  }
}
