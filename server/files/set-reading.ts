import type { TableReading } from '../../contract/table-reading.ts'
import type { Database } from '../db/database.ts'
import type { TableFiles } from '../tables/table-files.ts'
import { isFileId, noSuchFile } from './file-row.ts'

/** Stores how the owner wants a file read as a table; an empty reading means automatic detection. */
export function readingSetter(database: Database): TableFiles['setReading'] {
  return async (user_id, file_id, reading: TableReading) => {
    if (!isFileId(file_id)) noSuchFile()
    const changed = await database.write
      .updateTable('file')
      .set({ reading: Object.keys(reading).length === 0 ? null : JSON.stringify(reading) })
      .where('user_id', '=', user_id)
      .where('file_id', '=', file_id)
      .where('deleted_at', 'is', null)
      .returning('file_id')
      .executeTakeFirst()
    if (changed === undefined) noSuchFile()
  }
}
