import type { TableFiles } from '../tables/table-files.ts'
import type { Files } from './files.ts'

/** Stored files as tables read them: straight from the store's folder where it has one, else by fetching the bytes. */
export function createTableFiles(files: Pick<Files, 'entry' | 'locate' | 'open'>): TableFiles {
  return {
    async source(user_id, file_id) {
      const { name, size } = await files.entry(user_id, file_id)
      const { stored_as, path } = await files.locate(user_id, file_id)
      return {
        key: stored_as,
        id: file_id,
        name,
        size,
        path,
        async *read() {
          yield* (await files.open(user_id, file_id)).stream
        },
      }
    },
  }
}
