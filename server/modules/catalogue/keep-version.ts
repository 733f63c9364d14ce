import type { ModuleWarning } from '../../../contract/modules.ts'
import type { Caller } from '../../../contract/route.ts'
import type { Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { quoted, say } from '../../kernel/sentence.ts'
import { compareVersions } from '../bundle/compare-versions.ts'
import { compatibility } from '../bundle/compatibility.ts'
import { moduleTexts } from '../bundle/module-texts.ts'
import { reeveMeta } from '../bundle/reeve-meta.ts'
import { reviewBundle } from '../bundle/review-bundle.ts'
import type { UnpackedBundle } from '../bundle/unpacked-bundle.ts'
import { bringUp } from './bring-up.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { refuseRunningCall } from './module-lock.ts'
import { type InstalledVersion, type ModuleRecord, newRecord } from './module-record.ts'
import { reviewVersion } from './module-review.ts'
import { saveRow } from './module-rows.ts'
import { consentOf } from './module-terms.ts'
import { reachOf, refuseUpgrade, wantsMore } from './upgrade-rules.ts'

/** Versions beside the current one that stay for going back. */
const KEPT_VERSIONS = 3

export interface CheckedBundle {
  readonly bundle: UnpackedBundle
  /** The packed file, and the folder in which it is unpacked. */
  readonly packed: string
  readonly tree: string
  readonly fileName: string
  readonly allowDowngrade: boolean
}

/**
 * Makes a checked bundle the current version of its module, which is new or not. A module that runs goes on with the new version when
 * that wants no more than the old one; when it then does not come up, the old one is put back, which the returned warning says.
 */
export async function keepVersion(
  context: CatalogueContext,
  { bundle, packed, tree, fileName, allowDowngrade }: CheckedBundle,
  caller: Caller,
): Promise<ModuleWarning[]> {
  const { slug: name, digest } = bundle
  const before = context.records().get(name)
  if (before?.kind === 'remote')
    throw new AppError('module_exists', say`There is a remote module ${name}. Remove it first.`)
  refuseIncompatible(context, bundle)
  if (before?.current) refuseUpgrade(before.current, { ...bundle, version: bundle.manifest.version }, allowDowngrade)
  if (before) refuseRunningCall(context.host, name)

  const version: InstalledVersion = {
    digest,
    version: bundle.manifest.version,
    manifest: bundle.manifest,
    signature: bundle.signature,
    size: bundle.size,
    probe: undefined,
    installed_at: 0,
  }
  const display_name = moduleTexts(bundle.manifest).display_name
  const record = before ?? newRecord(name, 'bundle', display_name)
  const next: ModuleRecord = { ...record, display_name, current: version, manifest: bundle.manifest }
  const goesOn = before !== undefined && (await wantsNoMore(context, before, bundle))
  const others = record.versions.filter((each) => each.digest !== digest)
  const dropped = others
    .filter((each) => each !== record.current)
    .slice(record.current === null ? KEPT_VERSIONS : KEPT_VERSIONS - 1)

  const known = record.versions.length > others.length
  if (!known) await context.trees.keep(digest, packed, tree)
  try {
    await context.change(record, {
      caller,
      action: actionOf(record.current, version),
      details: { version: version.version, previous_version: record.current?.version ?? null, digest, file: fileName },
      async work(trx, now) {
        const consent = goesOn ? consentOf(next) : record.consent
        await saveRow(trx, record, { digest, display_name, consent }, now)
        await saveVersion(trx, name, bundle, now)
        for (const { digest: old } of dropped) {
          await trx.deleteFrom('module_version').where('module', '=', name).where('digest', '=', old).execute()
        }
      },
    })
  } catch (error) {
    if (!known) await forget(context, digest)
    throw error
  }
  for (const { digest: old } of dropped) await context.trees.remove(old)
  return goesOn && before !== undefined ? bringUp(context, name, before, caller) : []
}

function refuseIncompatible({ reeveVersion }: CatalogueContext, { manifest, files, natives }: UnpackedBundle): void {
  const { ok, problem } = compatibility(manifest, files, natives)
  if (!ok)
    throw new AppError(
      'module_incompatible',
      problem === null || problem === undefined ? say`It does not run on this machine.` : quoted(problem),
    )
  const { min_version } = reeveMeta(manifest)
  if (min_version !== undefined && compareVersions(reeveVersion, min_version) < 0) {
    throw new AppError('module_incompatible', say`It needs Reeve ${min_version} or newer; this is ${reeveVersion}.`)
  }
}

/** Whether a module that runs with somebody's consent may go on with this bundle. */
async function wantsNoMore(context: CatalogueContext, before: ModuleRecord, bundle: UnpackedBundle): Promise<boolean> {
  if (!before.enabled || before.current === null || before.consent !== consentOf(before)) return false
  const agreed = await reviewVersion(context, before.name, before.current)
  return !wantsMore(reachOf(agreed, before.current.manifest), reachOf(reviewBundle(bundle), bundle.manifest))
}

async function saveVersion(trx: Trx, module: string, bundle: UnpackedBundle, now: number): Promise<void> {
  await trx
    .insertInto('module_version')
    .values({
      module,
      digest: bundle.digest,
      version: bundle.manifest.version,
      manifest: JSON.stringify(bundle.manifest),
      files: JSON.stringify(bundle.files),
      natives: JSON.stringify(bundle.natives),
      signature: JSON.stringify(bundle.signature),
      size: bundle.size,
      probe: null,
      installed_at: now,
    })
    .onConflict((conflict) => conflict.columns(['module', 'digest']).doUpdateSet({ installed_at: now }))
    .execute()
}

/** Another process may have installed the same bundle meanwhile; what is left here in doubt goes at the next start. */
async function forget(context: CatalogueContext, digest: string): Promise<void> {
  try {
    const rows = await context.db.read
      .selectFrom('module_version')
      .select('module')
      .where('digest', '=', digest)
      .execute()
    if (rows.length === 0) await context.trees.remove(digest)
  } catch (error) {
    context.log.warn({ err: error, digest }, 'leftover of a failed installation')
  }
}

function actionOf(current: InstalledVersion | null, next: InstalledVersion): string {
  if (current === null) return 'module.installed'
  return compareVersions(next.version, current.version) < 0 ? 'module.downgraded' : 'module.upgraded'
}
