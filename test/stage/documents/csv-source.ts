import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { TableSource } from '../../../server/tables/shape/table-source.ts'

/** The CSV file at `path` as the table path gets a stored file. */
export async function csvSource(path: string): Promise<TableSource> {
  const { size } = await stat(path)
  return { owner: 'ann', key: 'rows', name: 'rows.csv', size, path, read: () => createReadStream(path) }
}
