import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import { moduleTexts } from '../../bundle/manifest/module-texts.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { refuseRunningCall } from '../store/running-calls.ts'
import type { InstalledVersion, ModuleRecord } from '../store/module-record.ts'
import { reviewVersion } from './module-review.ts'
import { saveRow } from '../store/module-rows.ts'
import { consentOf } from '../module-terms.ts'
import { obstacleOf } from '../standing.ts'
import { type Reach, reachOf, wantsMore } from './upgrade-rules.ts'

/**
 * Rolls back to the version with this digest, or else to the one installed before the current one, with the settings it
 * had then.
 * @throws {AppError} no_previous_version, module_package_missing, module_busy
 */
export async function rollbackModule(
  context: CatalogueContext,
  name: string,
  digest: string | undefined,
  caller: Caller,
): Promise<void> {
  await context.locks.hold(name, async () => {
    const record = context.record(name)
    const { current } = record
    const target = current === null ? undefined : versionToRestore(record, current, digest)
    if (current === null || target === undefined) {
      throw new AppError('no_previous_version', say`There is no kept version to go back to.`)
    }
    await refuseRunningCall(context, name)
    await context.trees.ensure(target.digest)
    const goesOn =
      record.enabled &&
      record.consent === consentOf(record) &&
      !wantsMore(await reachOfVersion(context, name, current), await reachOfVersion(context, name, target))
    const { display_name } = moduleTexts(target.manifest)
    const next: ModuleRecord = { ...record, current: target, manifest: target.manifest }
    await context.change(record, {
      caller,
      action: 'module.rolled_back',
      idle: true,
      details: { version: target.version, from: current.version, digest: target.digest },
      work: (trx, now) =>
        saveRow(
          trx,
          record,
          { digest: target.digest, display_name, consent: goesOn ? consentOf(next) : record.consent },
          now,
        ),
    })
    // The answer reports the outcome: its state and the reason.
    if (goesOn && obstacleOf(context, context.record(name)) === null) {
      await context.host.started(name).catch(() => undefined)
    }
  })
}

async function reachOfVersion(context: CatalogueContext, name: string, version: InstalledVersion): Promise<Reach> {
  return reachOf(await reviewVersion(context, name, version), version.manifest)
}

function versionToRestore(
  { versions }: ModuleRecord,
  current: InstalledVersion,
  digest: string | undefined,
): InstalledVersion | undefined {
  if (digest !== undefined) return versions.find((each) => each.digest === digest && each !== current)
  return versions.find(({ installed_at }) => installed_at < current.installed_at)
}
