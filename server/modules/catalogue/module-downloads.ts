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
export async function moduleIcon(
  context: CatalogueContext,
  name: string,
  theme: 'light' | 'dark' = 'light',
): Promise<FileAnswer> {
  const { current, manifest } = context.record(name)
  const folder = current === null ? join(context.builtinFolder, name) : await context.trees.ensure(current.digest)
  const bytes = manifest === null ? null : await readIcon(folder, manifest, theme)
  if (bytes === null) throw new AppError('not_found', say`This module has no icon.`)
  return bytesAnswer(`${name}.png`, 'image/png', bytes)
}

/** A picture that a module says it or one of its tools looks like. @throws {AppError} not_found */
export function modulePicture({ host }: CatalogueContext, name: string, digest: string): FileAnswer {
  const icons = [
    host.runtime(name)?.icons,
    ...host.list().flatMap((tool) => (tool.module === name ? [tool.icons] : [])),
  ]
  const pictures = icons.flatMap((each) => (each ? [each.light, each.dark] : []))
  const found = pictures.find((picture) => picture.digest === digest)
  if (found === undefined) throw new AppError('not_found', say`This module has no icon.`)
  return bytesAnswer('icon', found.media_type, Buffer.from(found.data, 'base64'))
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
