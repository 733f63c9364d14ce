import type { FileText } from '../file-text.ts'
import { tableOutline, type OutlinedFile } from './table-outline.ts'
import type { PortError, TablePort } from './table-port.ts'

/** The outline of a table, or a sentence that says why there is none. */
export async function readTable(tables: TablePort, file: OutlinedFile): Promise<FileText> {
  try {
    return await tableOutline(tables, file)
  } catch (error) {
    // What the engine says about a file is for the user; anything else is a bug.
    if (!(error instanceof Error) || error.name !== 'TableError') throw error
    const { code, detail } = error as unknown as PortError
    return {
      parser: 'table',
      status: code === 'unsupported' ? 'unsupported' : 'failed',
      text: null,
      detail,
      lasting: code === 'unsupported' || code === 'unreadable' || code === 'too_large',
    }
  }
}
