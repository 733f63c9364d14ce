import type { FileText } from './file-text.ts'
import { tableOutline, type OutlinedFile } from './table-outline.ts'
import type { TablePort } from './table-port.ts'

/** The outline of a table, or the sentence that says why there is none. */
export async function readTable(tables: TablePort, file: OutlinedFile): Promise<FileText> {
  try {
    return await tableOutline(tables, file)
  } catch (error) {
    // What the engine says of a file is a sentence for a person; anything else is a fault of ours.
    if (!(error instanceof Error) || error.name !== 'TableError') throw error
    const { code } = error as { code?: string }
    return {
      parser: 'table',
      status: code === 'unsupported' ? 'unsupported' : 'failed',
      text: null,
      detail: error.message,
      lasting: code === 'unsupported' || code === 'unreadable' || code === 'too_large',
    }
  }
}
