import { FILE_NAME_LIMIT } from '../../contract/files.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'

/** Path separators, control characters, line separators, and the marks that change the text direction of a name. */
// oxlint-disable-next-line no-control-regex -- these are exactly the characters to find
const FORBIDDEN = /[/\\\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u

/**
 * The name of a file as it is stored: a label, never a path. Trimmed, NFC, 1–255 UTF-16 units.
 * @throws {AppError} bad_file_name
 */
export function fileName(given: string): string {
  if (!given.isWellFormed()) throw new AppError('bad_file_name', say`The file name is not valid Unicode text.`)
  // Before trimming, which would treat a line break at the end as a blank.
  if (FORBIDDEN.test(given)) {
    throw new AppError(
      'bad_file_name',
      say`A file name must not contain slashes, backslashes, control or text-direction characters.`,
    )
  }
  const name = given.normalize('NFC').trim()
  if (name === '' || name === '.' || name === '..') throw new AppError('bad_file_name', say`The file needs a name.`)
  if (name.length > FILE_NAME_LIMIT) {
    throw new AppError('bad_file_name', say`The file name is longer than ${FILE_NAME_LIMIT} characters.`)
  }
  return name
}

/** The last suffix of a name in lower case, without the dot; empty when there is none or it isn't a plain word. */
export function extensionOf(name: string): string {
  return /.\.([a-z0-9]{1,16})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
}
