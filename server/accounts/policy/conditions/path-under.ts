import { ALIKE, anyFound, DIFFERS, FITS, type Found, ODD, TOO_LONG, WRONG_TYPE } from './finding.ts'
import { alike, isOdd, TEXT_JUDGED } from './text.ts'

/**
 * The segments of an absolute path, or null for one that could mean another: relative, with `.`, `..` or empty segments,
 * backslashes, percent signs or characters that nobody sees.
 */
export function readPath(path: string): readonly string[] | null {
  if (!path.startsWith('/') || path.includes('\\') || path.includes('%') || isOdd(path)) return null
  if (path === '/') return []
  const segments = path.slice(1).split('/')
  return segments.some((segment) => segment === '' || segment === '.' || segment === '..') ? null : segments
}

/** Lexical: in one of these folders, or one of them. What links make of it only the tool can know. */
export function findUnder(value: unknown, folders: readonly string[]): Found {
  if (typeof value !== 'string') return WRONG_TYPE
  if (value.length > TEXT_JUDGED) return TOO_LONG
  const path = readPath(value)
  return path === null ? ODD : anyFound(folders.map((folder) => inFolder(path, readPath(folder))))
}

function inFolder(path: readonly string[], folder: readonly string[] | null): Found {
  if (folder === null) return ODD
  if (folder.every((segment, i) => path[i] === segment)) return FITS
  return folder.every((segment, i) => path[i] !== undefined && alike(path[i]) === alike(segment)) ? ALIKE : DIFFERS
}
