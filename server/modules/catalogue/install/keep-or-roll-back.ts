import type { ModuleWarning } from '../../../../contract/modules.ts'
import type { Caller } from '../../../../contract/route.ts'
import { say } from '../../../kernel/sentence.ts'
import { ModuleStartError } from '../../supervision/module-host.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { type ModuleRecord, versionOf } from '../store/module-record.ts'
import { saveRow } from '../store/module-rows.ts'
import { obstacleOf } from '../standing.ts'
import { warningIn } from '../../bundle/review/found-warning.ts'

/**
 * Waits for the version that has just become the current one. If it does not come up, rolls the module back to `before`
 * and returns a warning that says so, in the caller's language; otherwise returns none.
 */
export async function keepOrRollBack(
  context: CatalogueContext,
  name: string,
  before: ModuleRecord,
  caller: Caller,
): Promise<ModuleWarning[]> {
  const record = context.record(name)
  // It may be waiting for settings, which is no reason to roll back.
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
    const message = say`Version ${versionOf(record)} did not start, so version ${versionOf(before)} was restored. ${error.detail}`
    return [warningIn({ code: 'rolled_back', level: 'danger', message }, caller.language)]
  }
}
