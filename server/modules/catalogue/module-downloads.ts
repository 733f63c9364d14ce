import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FileAnswer } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { bytesAnswer } from '../../kernel/bytes-answer.ts'
import { say } from '../../kernel/sentence.ts'
import { readIcon } from '../bundle/manifest/read-icon.ts'
import type { CatalogueContext } from './catalogue-context.ts'

/** The icon of a module, from its unpacked bundle or its folder. @throws {AppError} not_found */
export async function moduleIcon(context: CatalogueContext, name: string): Promise<FileAnswer> {
  const { current, manifest } = context.record(name)
  const folder = current === null ? join(context.builtinFolder, name) : await context.trees.ensure(current.digest)
  const bytes = manifest === null ? null : await readIcon(folder, manifest)
  if (bytes === null) throw new AppError('not_found', say`This module has no icon.`)
  return bytesAnswer(`${name}.png`, 'image/png', bytes)
}

/** The kit for authors. @throws {AppError} not_found where Reeve was built without it */
export async function authorsKit({ sdkFile }: CatalogueContext): Promise<FileAnswer> {
  const status = await stat(sdkFile).catch(() => null)
  if (!status?.isFile()) throw new AppError('not_found', say`This installation was built without the kit for authors.`)
  return {
    name: basename(sdkFile),
    media_type: 'application/zip',
    size: status.size,
    stream: createReadStream(sdkFile),
  }
}
