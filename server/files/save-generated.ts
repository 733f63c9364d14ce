import type { FileRef } from '../../contract/files.ts'
import { FILE_NAME_LIMIT } from '../../contract/files.ts'
import { cut } from '../kernel/text/plain-text.ts'
import { extensionOf, fileName } from './file-name.ts'
import type { Files } from './files.ts'
import type { NewFile } from './put-files.ts'
import { extensionFor } from './media-type.ts'

/** Room for an extension. */
const STEM_LIMIT = FILE_NAME_LIMIT - 20

/**
 * Stores what a tool made as a file of the run. Its name is a label chosen by a module: characters that a name must not
 * contain are replaced, and a name without an extension gets that of its media type.
 * @throws {AppError} payload_too_large, quota_exceeded
 */
export async function saveGenerated(
  files: Files,
  of: Pick<NewFile, 'user_id' | 'run_id' | 'hold'>,
  made: { readonly name: string; readonly media_type: string; readonly data: Uint8Array },
): Promise<FileRef> {
  const { file_id, name, extension, media_type, size } = await files.put({
    ...of,
    kind: 'generated',
    name: generatedName(made.name, made.media_type),
    bytes: once(made.data),
  })
  return { file_id, name, media_type, size, extension }
}

/** The valid file name that is closest to the given one. */
export function generatedName(given: string, media_type: string): string {
  const plain = given
    .toWellFormed()
    .normalize('NFC')
    .replace(/[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, '_')
    .trim()
  const extension = extensionOf(plain) || extensionFor(media_type)
  const stem = extensionOf(plain) === '' ? plain : plain.slice(0, -extension.length - 1)
  const name = cut(stem, STEM_LIMIT).trim()
  return fileName(`${/^[._\s]*$/.test(name) ? 'file' : name}${extension === '' ? '' : `.${extension}`}`)
}

export async function* once(data: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(data)
}
