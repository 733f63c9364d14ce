import type { CachedFile } from './table-cache.ts'
import type { StoredSheet } from '../shape/table-job.ts'

/** A sheet of a cached form, as passed to workers. */
export function storedSheet({ data, file }: CachedFile, index: number): StoredSheet {
  const { columns, rows } = file.sheets[index]!
  return { file: data, index, columns, rows }
}
