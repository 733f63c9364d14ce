import { AppError } from '../../../kernel/app-error.ts'
import { say, type Sentence } from '../../../kernel/sentence.ts'

const ENDINGS = ['.mcpb', '.zip', '.dxt']

/**
 * Checks the header x-module-filename: a plain file name, percent-encoded or not, that ends in `.mcpb`, `.zip` or
 * `.dxt`. It is only a label, and nothing is derived from it; a path in its place points to a malicious or mistaken
 * sender.
 * @throws {AppError} bad_module_name
 */
export function checkBundleFileName(header: string | undefined): string {
  const name = decode(header ?? '')
  if (name === '') throw refused(say`The header x-module-filename is missing: give the plain name of the bundle file.`)
  if (name.length > 255) throw refused(say`The header x-module-filename is longer than 255 characters.`)
  if (/[/\\:]/.test(name) || name.startsWith('.')) {
    throw refused(say`The header x-module-filename must be a plain file name, not a path.`)
  }
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd"*<>?|]/u.test(name) || !name.isWellFormed()) {
    throw refused(say`The header x-module-filename holds characters that a file name cannot have.`)
  }
  if (!ENDINGS.some((ending) => name.length > ending.length && name.toLowerCase().endsWith(ending))) {
    throw refused(say`The header x-module-filename must end in ${ENDINGS.join(', ')}.`)
  }
  return name
}

function decode(header: string): string {
  try {
    return decodeURIComponent(header)
  } catch {
    throw refused(say`The header x-module-filename is not percent-encoded UTF-8.`)
  }
}

function refused(why: Sentence): AppError {
  return new AppError('bad_module_name', why)
}
