import type { TableReading } from '../../contract/table-reading.ts'
import type { TableSource } from './shape/table-source.ts'

/**
 * The port through which the table routes access stored files, always as their owner. `files` implements it, `app`
 * fills it.
 */
export interface TableFiles {
  /**
   * The file's name and bytes; the key is the id under which the bytes are stored. @throws {AppError} not_found, also
   * for another user's file
   */
  source(user_id: string, file_id: string): Promise<TableSource>
  /** Stores how a file is read; an empty reading means automatic detection. @throws {AppError} not_found */
  setReading(user_id: string, file_id: string, reading: TableReading): Promise<void>
}
