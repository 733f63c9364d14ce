import type { ExportFormat } from '../../../contract/export-formats.ts'
import type { ExportBook } from '../shape/export-plan.ts'
import { workbookStart } from './write-workbook.ts'

interface FormatFacts {
  readonly extension: string
  readonly media_type: string
}

const FORMATS: Record<ExportFormat, FormatFacts> = {
  xlsx: { extension: 'xlsx', media_type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
  csv: { extension: 'csv', media_type: 'text/csv; charset=utf-8' },
  json: { extension: 'json', media_type: 'application/json' },
  ndjson: { extension: 'ndjson', media_type: 'application/x-ndjson' },
  parquet: { extension: 'parquet', media_type: 'application/vnd.apache.parquet' },
}
const ARCHIVE: FormatFacts = { extension: 'zip', media_type: 'application/zip' }

/** What is written: `archive` is a ZIP with a file per sheet, in formats that hold one table. */
export function formatFacts(format: ExportFormat, archive: boolean): FormatFacts {
  return archive ? ARCHIVE : FORMATS[format]
}

/** The byte order mark by which spreadsheets recognise a text file as UTF-8. */
export const CSV_START = '\ufeff'
export const JSON_START = '[\n'

/** The bytes that begin a file of one table, before anything is known of its rows; null when the rows come first. */
export async function exportStart(format: ExportFormat, book: ExportBook): Promise<Uint8Array | null> {
  switch (format) {
    case 'xlsx':
      return workbookStart(book)
    case 'csv':
      return Buffer.from(CSV_START)
    case 'json':
      return Buffer.from(JSON_START)
    case 'parquet':
      return Buffer.from('PAR1')
    case 'ndjson':
      return null
  }
}
