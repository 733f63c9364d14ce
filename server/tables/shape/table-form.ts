import { createHash } from 'node:crypto'
import type { TableSource } from './table-source.ts'

/** Changes whenever the cached form does: forms of older versions are then rebuilt. */
const FORM = 'duckdb-1.5/4'
/**
 * The name of a cached form. The extension is part of it, because the same bytes may be read differently under another
 * name; so is a chosen reading.
 */
export function formOf({ key, name, reading = {} }: TableSource): string {
  const ending = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  const chosen = Object.keys(reading).length === 0 ? '' : `.${hashOf(JSON.stringify(reading)).slice(0, 16)}`
  return `${formsOf(key)}.${ending}${chosen}`
}

/** The common prefix of all forms of these bytes. */
export function formsOf(key: string): string {
  return hashOf(JSON.stringify([FORM, key])).slice(0, 40)
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
