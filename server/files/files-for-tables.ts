import type { TableReading } from '../../contract/table-reading.ts'
import type { TableFiles } from '../tables/table-files.ts'
import type { Files } from './files.ts'

/** Stored files as tables read them: straight from the store's folder if it has one, else by fetching the bytes. */
export function createTableFiles(files: Pick<Files, 'entry' | 'locate' | 'open'>): Pick<TableFiles, 'source'> {
  return {
    async source(user_id, file_id) {
      const { name, size } = await files.entry(user_id, file_id)
      const { stored_as, path, reading } = await files.locate(user_id, file_id)
      return {
        owner: user_id,
        key: stored_as,
        id: file_id,
        name,
        size,
        path,
        reading: reading === null ? {} : (JSON.parse(reading) as TableReading),
        async *read() {
          yield* (await files.open(user_id, file_id)).stream
        },
      }
    },
  }
}
