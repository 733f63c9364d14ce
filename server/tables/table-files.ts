import type { TableSource } from './table-source.ts'

/** The port through which the table routes reach stored files, always as their owner. `files` implements it, `app` fills it. */
export interface TableFiles {
  /** The file's name and bytes; the key is what the bytes are stored as. @throws {AppError} not_found, also for somebody else's */
  source(user_id: string, file_id: string): Promise<TableSource>
}
