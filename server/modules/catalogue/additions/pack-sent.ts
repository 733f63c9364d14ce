import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { say } from '../../../kernel/sentence.ts'
import { SourceError } from '../../source/source-error.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { unpackSent } from '../install/install-bundle.ts'
import type { Steps } from './addition-rows.ts'

/**
 * Packs a `uv` bundle anew, with all that it needs. What nobody signed has no signature, so that of the sender is looked at
 * here for the last time. Gives the new file.
 * @throws {AppError}, {SourceError}
 */
export async function packSent(
  context: CatalogueContext,
  file: string,
  { folder, signal, progress }: Pick<Steps, 'signal' | 'progress'> & { readonly folder: string },
): Promise<string> {
  const tree = join(folder, 'sent')
  await mkdir(tree)
  progress({ step: 'resolving', done: 0, total: 0 })
  const bundle = await unpackSent(context, file, tree)
  if (bundle.signature.state === 'invalid')
    throw new SourceError('source_refused', say`Its signature is not valid. ${bundle.signature.detail}`)
  const { packUv } = await import('../../source/uv/pack-uv.ts')
  const python = await context.sandbox.program('python3')
  return packUv(bundle, tree, { index: context.pypi!, python, folder, signal, progress })
}
