import { AppError } from '../../kernel/app-error.ts'

const ENDINGS = ['.mcpb', '.zip', '.dxt']

/**
 * Checks the header x-module-filename: a plain file name, percent-encoded or not, that ends in `.mcpb`, `.zip` or `.dxt`. It is only a
 * label, so nothing is derived from it; a name that is a path tells of a sender that is up to something, or mistaken.
 * @throws {AppError} bad_module_name
 */
export function checkBundleFileName(header: string | undefined): string {
  const name = decode(header ?? '')
  const refuse = (why: string) => new AppError('bad_module_name', `The header x-module-filename ${why}.`)
  if (name === '') throw refuse('is missing: give the plain name of the bundle file')
  if (name.length > 255) throw refuse('is longer than 255 characters')
  if (/[/\\:]/.test(name) || name.startsWith('.')) throw refuse('must be a plain file name, not a path')
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd"*<>?|]/u.test(name) || !name.isWellFormed()) {
    throw refuse('holds characters that a file name cannot have')
  }
  if (!ENDINGS.some((ending) => name.length > ending.length && name.toLowerCase().endsWith(ending))) {
    throw refuse(`must end in ${ENDINGS.join(', ')}`)
  }
  return name
}

function decode(header: string): string {
  try {
    return decodeURIComponent(header)
  } catch {
    throw new AppError('bad_module_name', 'The header x-module-filename is not percent-encoded UTF-8.')
  }
}
