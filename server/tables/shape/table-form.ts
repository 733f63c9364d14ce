import { createHash } from 'node:crypto'
import type { TableSource } from './table-source.ts'

/** Changes whenever the cached form does: forms of older versions are then rebuilt. */
const FORM = 'duckdb-1.5/4'
/** Ids that may be part of a file's name as they are. */
const PLAIN_KEY = /^[\w-]{1,80}$/

/**
 * The name of a cached form. The extension is part of it, because the same bytes may be read differently under another
 * name; so is a chosen reading.
 */
export function formOf({ key, name, reading = {} }: TableSource): string {
  const ending = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  const chosen = Object.keys(reading).length === 0 ? '' : `.${hashOf(JSON.stringify(reading)).slice(0, 16)}`
  return `${formsOf(key)}.${ending}${chosen}`
}

/** The common prefix of all forms of these bytes. It has their id, so that forms of deleted files are found. */
export function formsOf(key: string): string {
  return `${hashOf(FORM).slice(0, 8)}-${PLAIN_KEY.test(key) ? key : hashOf(key)}`
}

/** The id of the bytes of a form; null for other names. */
export function keyOfForm(name: string): string | null {
  return /^[0-9a-f]{8}-([\w-]{1,80})\./.exec(name)?.[1] ?? null
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
