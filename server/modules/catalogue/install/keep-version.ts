import type { ModuleWarning } from '../../../../contract/modules.ts'
import type { Caller } from '../../../../contract/route.ts'
import type { Trx } from '../../../db/database.ts'
import { markPerhapsUnused, markUnused } from '../../../db/objects/unused-objects.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import { bundleOrigin, saysOrigin } from '../../bundle/manifest/bundle-origin.ts'
import { compareVersions } from '../../bundle/manifest/compare-versions.ts'
import { compatibility } from '../../bundle/manifest/compatibility.ts'
import type { Manifest } from '../../bundle/manifest/manifest.ts'
import { moduleTexts } from '../../bundle/manifest/module-texts.ts'
import { reeveMeta } from '../../bundle/manifest/reeve-meta.ts'
import { reviewBundle } from '../../bundle/review/review-bundle.ts'
import { storeSignature } from '../../bundle/signature/found-signature.ts'
import type { UnpackedBundle } from '../../bundle/archive/unpacked-bundle.ts'
import { keepOrRollBack } from './keep-or-roll-back.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { refuseRunningCall } from '../store/running-calls.ts'
import { type InstalledVersion, type ModuleRecord, newRecord } from '../store/module-record.ts'
import { reviewVersion } from './module-review.ts'
import { saveRow } from '../store/module-rows.ts'
import { packageOf } from '../store/named-packages.ts'
import { consentOf } from '../module-terms.ts'
import { isOlder, reachOf, refuseUpgrade, wantsMore } from './upgrade-rules.ts'

/**
 * A package of another registry, or of another name that only looks the same here, would get the secrets and the rules of the
 * one that is there. @throws {AppError} module_exists
 */
function refuseOthers(there: Manifest, wanted: Manifest, name: string): void {
  const [before, now] = [bundleOrigin(there), bundleOrigin(wanted)]
  if (before === null || now === null || (before.kind === now.kind && before.name === now.name)) return
  const [source, other] = [before, now].map((one) => `${one.kind}:${one.name}`)
  throw new AppError(
    'module_exists',
    say`There is a module ${name} already, from ${source!}. Remove it first to add ${other!}.`,
  )
}

/** How many versions besides the current one are kept for rolling back. */
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
 * Makes a checked bundle the current version of its module, new or existing. A running module continues with the new
 * version if that requests no more than the old one; if it then does not come up, the old version is restored, which
 * the returned warning says.
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
  if (before?.current) refuseOthers(before.current.manifest, bundle.manifest, name)
  refuseIncompatible(context, bundle)
  if (before?.current) {
    const repacked = saysOrigin(before.current.manifest) && saysOrigin(bundle.manifest)
    const next = { ...bundle, version: bundle.manifest.version }
    refuseUpgrade(before.current, next, { allowDowngrade, repacked })
  }
  if (before) await refuseRunningCall(context, name)

  const version: InstalledVersion = {
    digest,
    version: bundle.manifest.version,
    manifest: bundle.manifest,
    signature: bundle.signature,
    size: bundle.size,
    probe: undefined,
    installed_at: 0,
    // Only its terms are looked at here.
    stored_as: '',
  }
  const display_name = moduleTexts(bundle.manifest).display_name
  const record = before ?? newRecord(name, 'bundle', display_name)
  const next: ModuleRecord = { ...record, display_name, current: version, manifest: bundle.manifest }
  // What came from a registry is other people's work of today: it waits for a look, whatever it asks for.
  const reviewed = !saysOrigin(bundle.manifest)
  const goesOn = before !== undefined && reviewed && (await wantsNoMore(context, before, bundle))
  const others = record.versions.filter((each) => each.digest !== digest)
  const dropped = others
    .filter((each) => each !== record.current)
    .slice(record.current === null ? KEPT_VERSIONS : KEPT_VERSIONS - 1)

  const known = record.versions.length > others.length
  const stored = known ? null : await context.trees.keep(digest, packed, tree)
  try {
    await context.change(record, {
      caller,
      action: actionOf(record.current, version),
      details: { version: version.version, previous_version: record.current?.version ?? null, digest, file: fileName },
      idle: before !== undefined,
      async work(trx, now) {
        const consent = goesOn ? consentOf(next) : record.consent
        await saveRow(trx, record, { digest, display_name, consent }, now)
        await saveVersion(trx, name, bundle, { stored_as: stored?.stored_as ?? null, now })
        for (const { digest: old } of dropped) {
          await trx.deleteFrom('module_version').where('module', '=', name).where('digest', '=', old).execute()
        }
        await markUnused(
          context.db,
          trx,
          'packages',
          dropped.map(({ stored_as }) => stored_as),
        )
      },
    })
  } catch (error) {
    if (stored !== null) await forget(context, digest, stored.stored_as)
    throw error
  }
  for (const { digest: old } of dropped) await context.trees.removeTree(old)
  return goesOn && before !== undefined ? keepOrRollBack(context, name, before, caller) : []
}

function refuseIncompatible({ reeveVersion }: CatalogueContext, { manifest, files, natives }: UnpackedBundle): void {
  const { ok, problem } = compatibility(manifest, files, natives)
  if (!ok) throw new AppError('module_incompatible', problem ?? say`It does not run on this machine.`)
  const { min_version } = reeveMeta(manifest)
  if (min_version !== undefined && compareVersions(reeveVersion, min_version) < 0) {
    throw new AppError('module_incompatible', say`It needs Reeve ${min_version} or newer; this is ${reeveVersion}.`)
  }
}

/** Whether a module that runs with consent may continue with this bundle. */
async function wantsNoMore(context: CatalogueContext, before: ModuleRecord, bundle: UnpackedBundle): Promise<boolean> {
  if (!before.enabled || before.current === null || before.consent !== consentOf(before)) return false
  const agreed = await reviewVersion(context, before.name, before.current)
  return !wantsMore(reachOf(agreed, before.current.manifest), reachOf(reviewBundle(bundle), bundle.manifest))
}

/** A version that is known already keeps the package it has. */
async function saveVersion(
  trx: Trx,
  module: string,
  bundle: UnpackedBundle,
  { stored_as, now }: { stored_as: string | null; now: number },
): Promise<void> {
  await trx
    .insertInto('module_version')
    .values({
      module,
      digest: bundle.digest,
      version: bundle.manifest.version,
      manifest: JSON.stringify(bundle.manifest),
      files: JSON.stringify(bundle.files),
      natives: JSON.stringify(bundle.natives),
      signature: storeSignature(bundle.signature),
      size: bundle.size,
      probe: null,
      installed_at: now,
      stored_as,
    })
    .onConflict((conflict) => conflict.columns(['module', 'digest']).doUpdateSet({ installed_at: now }))
    .execute()
}

/** The answer to a commit may have been lost, so rows decide; the sweep of objects asks them about the package. */
async function forget(context: CatalogueContext, digest: string, stored_as: string): Promise<void> {
  await markPerhapsUnused(context.db, 'packages', [stored_as])
  try {
    if ((await packageOf(context.db.read, digest)) === null) await context.trees.removeTree(digest)
  } catch (error) {
    context.log.warn({ err: error, digest }, 'leftover of a failed installation')
  }
}

function actionOf(current: InstalledVersion | null, next: InstalledVersion): string {
  if (current === null) return 'module.installed'
  return isOlder(next, current) ? 'module.downgraded' : 'module.upgraded'
}
