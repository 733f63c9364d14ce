import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModuleDetail, ModuleReview } from '../../../../contract/modules.ts'
import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import { BundleError } from '../../bundle/bundle-error.ts'
import { reviewBundle } from '../../bundle/review/review-bundle.ts'
import { ArchiveReader } from '../../bundle/archive/archive-reader.ts'
import { readArchive } from '../../bundle/archive/read-archive.ts'
import { UNPACK_LIMITS, unpackBundle } from '../../bundle/archive/unpack-bundle.ts'
import type { UnpackedBundle } from '../../bundle/archive/unpacked-bundle.ts'
import { checkBundleFileName } from './bundle-file-name.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { keepVersion } from './keep-version.ts'
import { moduleDetail } from '../store/module-detail.ts'
import { reviewOf } from './module-review.ts'
import { readSignatureBlock } from '../../bundle/signature/signature-block.ts'
import { receiveBundle, sizeLimits } from './receive-bundle.ts'
import { readSnapshot, restoreSnapshot } from './restore-builtin.ts'

export interface BundleUpload {
  /** The header x-module-filename. */
  readonly fileName: string | undefined
  readonly body: AsyncIterable<Uint8Array>
  readonly allowDowngrade: boolean
  /** Aborted when the sender disconnects. */
  readonly signal: AbortSignal
}
export interface InstallAnswer {
  readonly module: ModuleDetail
  readonly review: ModuleReview
  readonly previous_version: string | null
}

/**
 * Installs or upgrades a module from a bundle. The bundle is received, unpacked and checked in a folder of its own,
 * moved into place, and then recorded in one transaction; a failure at any point leaves the previous state. A new
 * module is not started.
 * @throws {AppError} see the route's errors
 */
export async function installBundle(
  context: CatalogueContext,
  upload: BundleUpload,
  caller: Caller,
): Promise<InstallAnswer> {
  const fileName = checkBundleFileName(upload.fileName)
  await using staging = await context.trees.stage()
  const packed = join(staging.folder, 'bundle')
  const tree = join(staging.folder, 'tree')
  await receiveBundle(upload.body, packed, context.limits.packedBytes, upload.signal)
  await mkdir(tree)
  const bundle = await unpackSent(context, packed, tree)
  if (bundle.manifest.server.type === 'uv' && context.pypi !== null)
    throw new AppError(
      'uv_bundle',
      say`It would fetch its packages at each start. Send it to POST /api/module-additions/bundle, which packs them with it.`,
    )
  const name = bundle.slug

  // Awaited here because the staging folder is removed when this function returns.
  return await context.locks.hold(name, async () => {
    if (context.builtins.has(name)) {
      const snapshot = readSnapshot(context, bundle)
      await restoreSnapshot(context, snapshot, caller)
      const module = await moduleDetail(context, context.record(name), caller.language)
      return { module, review: reviewBundle(bundle, undefined, caller.language), previous_version: null }
    }
    const previous_version = context.records().get(name)?.current?.version ?? null
    const kept = await keepVersion(
      context,
      { bundle, packed, tree, fileName, allowDowngrade: upload.allowDowngrade },
      caller,
    )
    const record = context.record(name)
    const review =
      (await reviewOf(context, record, caller.language)) ?? reviewBundle(bundle, undefined, caller.language)
    return {
      module: await moduleDetail(context, record, caller.language),
      review: { ...review, warnings: [...kept, ...review.warnings] },
      previous_version,
    }
  })
}

/** Looks at what is listed in a bundle as it was received, without unpacking it. @throws {AppError} */
export async function refuseNoArchive(context: CatalogueContext, packed: string): Promise<void> {
  await using file = await open(packed)
  const { size } = await file.stat()
  try {
    const reader = new ArchiveReader(file, await readSignatureBlock(file, size))
    await readArchive(reader, { ...UNPACK_LIMITS, ...sizeLimits(context) })
  } catch (error) {
    if (error instanceof BundleError) throw new AppError(error.code, error.detail)
    throw error
  }
}

/** Unpacks a bundle as it was received. @throws {AppError} */
export async function unpackSent(context: CatalogueContext, packed: string, tree: string): Promise<UnpackedBundle> {
  try {
    const trustedFingerprints = context.requirements().signers.map(({ fingerprint }) => fingerprint)
    return await unpackBundle(packed, tree, { ...sizeLimits(context), trustedFingerprints })
  } catch (error) {
    if (error instanceof BundleError) throw new AppError(error.code, error.detail)
    throw error
  }
}
