import type { ExportFormat } from '../../../contract/export-formats.ts'
import { say } from '../../kernel/sentence.ts'
import { TableError } from '../shape/table-error.ts'
import { formatFacts } from './export-format.ts'
import { exportLines, type ExportTo, type SheetToWrite } from '../shape/export-plan.ts'
import { sheetName } from './sheet-name.ts'
import { writeCsv } from './write-csv.ts'
import { writeJson } from './write-json.ts'
import { writeWorkbook } from './write-workbook.ts'
import { ZipStream } from './zip-stream.ts'

/** Parquet isn't produced row by row: a caller that wants it supplies its bytes. */
export interface TableToWrite extends SheetToWrite {
  readonly parquet?: () => AsyncIterable<Uint8Array>
}

/** Bytes of an archive entry: beyond 4 GiB, many programs cannot read it. */
const ENTRY_BYTES = 4_000_000_000

/**
 * Writes tables as a file of this format, piece by piece, in constant memory. Without `archive`, only the first one,
 * except in workbooks.
 */
export function writeExport(to: ExportTo, tables: readonly TableToWrite[]): AsyncGenerator<Uint8Array> {
  if (to.format === 'xlsx') return writeWorkbook(to.book, tables)
  return to.archive ? writeArchive(to, tables) : tableBytes(to.format, tables[0]!)
}

async function* writeArchive({ format, book }: ExportTo, tables: readonly TableToWrite[]): AsyncGenerator<Uint8Array> {
  const zip = new ZipStream(new Date(book.at))
  const taken = new Set(['provenance'])
  const about: Record<string, Record<string, string | string[]>> = {}
  for (const table of tables) {
    const { plan } = table
    const name = `${sheetName(plan.title, taken).replace(/[<>|"]+/g, '-')}.${formatFacts(format, false).extension}`
    yield zip.begin(name)
    for await (const bytes of tableBytes(format, table)) {
      zip.writeBytes(bytes)
      if (zip.entryBytes > ENTRY_BYTES)
        throw new TableError('too_large', say`The sheet "${plan.title}" is too large for an archive. Export it alone.`)
      if (zip.behind) yield* zip.ready()
    }
    yield* zip.end()
    about[name] = { ...Object.fromEntries(plan.origin), Notices: [...plan.notices] }
  }
  yield zip.begin('provenance.json')
  const lines = { Title: book.title, ...Object.fromEntries(exportLines(book)), Files: about }
  zip.write(`${JSON.stringify(lines, null, 2)}\n`)
  yield* zip.end()
  yield zip.close()
}

async function* tableBytes(format: ExportFormat, table: TableToWrite): AsyncGenerator<Uint8Array> {
  if (format === 'parquet') return yield* table.parquet!()
  const texts = format === 'csv' ? writeCsv(table) : writeJson(table, format === 'ndjson')
  for await (const text of texts) yield Buffer.from(text)
}
