import { say, type Sentence } from '../../../kernel/sentence.ts'
import { shownText } from '../manifest/shown-text.ts'
import { BundleError } from '../bundle-error.ts'

const LENGTH_LIMIT = 1024
const SEGMENT_LIMIT = 255
const DEPTH_LIMIT = 40

/**
 * The name of an archive's entry as text.
 * @throws {BundleError} `bad_archive` for a name that isn't a plain relative path.
 */
export function entryPath(raw: Buffer): string {
  let name: string
  try {
    name = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw)
  } catch {
    const shown = shownText(raw.toString('latin1'))
    throw new BundleError('bad_archive', say`The name of the entry “${shown}” is not UTF-8.`, shown)
  }
  const problem = pathProblem(name.endsWith('/') ? name.slice(0, -1) : name)
  if (problem === null) return name
  const shown = shownText(name)
  throw new BundleError('bad_archive', say`The entry “${shown}” ${problem}.`, shown)
}

/** What is wrong with a path inside a bundle, as the end of a sentence about it; null when nothing is. */
export function pathProblem(path: string): Sentence | null {
  if (path === '') return say`has no name`
  if (path.includes('\0')) return say`has a NUL character in its name`
  if (/\p{Cc}/u.test(path)) return say`has a control character in its name`
  if (/\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}/u.test(path))
    return say`has an invisible or direction-changing character in its name`
  if (path.includes('\\')) return say`has a backslash in its name: separate folders with “/”`
  if (path.startsWith('/')) return say`is an absolute path`
  if (/^[A-Za-z]:/.test(path)) return say`begins with a drive letter`
  if (Buffer.byteLength(path) > LENGTH_LIMIT) return say`has a name of more than ${LENGTH_LIMIT} bytes`
  const segments = path.split('/')
  if (segments.includes('..')) return say`leads out of the bundle with “..”`
  if (segments.includes('.') || segments.includes('')) return say`has an empty or “.” part in its path`
  if (segments.length > DEPTH_LIMIT) return say`is more than ${DEPTH_LIMIT} folders deep`
  if (segments.some((segment) => Buffer.byteLength(segment) > SEGMENT_LIMIT))
    return say`has a part of more than ${SEGMENT_LIMIT} bytes in its path`
  return null
}
