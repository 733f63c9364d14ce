import type { TableReading } from '../../contract/table-reading.ts'
import type { FilesCaller, ModuleFiles } from '../../server/modules/module-files.ts'
import { TableError } from '../../server/tables/shape/table-error.ts'
import { say } from '../../server/kernel/sentence.ts'
import type { TableColumn } from '../../server/tables/shape/table-shape.ts'
import type { TableSource } from '../../server/tables/shape/table-source.ts'
import type { Tables } from '../../server/tables/tables.ts'

/** What the tools work with: the caller's files, and the engine that reads tables. */
export interface StoredTables {
  readonly files: ModuleFiles
  readonly tables: Tables
}

/** Description of one sheet of a stored file. */
export interface StoredTable {
  readonly source: TableSource
  readonly name: string
  readonly format: string
  readonly encoding: string | null
  readonly sheet: string
  readonly sheets: readonly { name: string; rows: number }[]
  readonly columns: readonly TableColumn[]
  readonly rows: number
  readonly notices: readonly string[]
}

/** Finds a file of the caller by id or name and reads what it contains. Rejects with a sentence. */
export async function openTable(
  { files, tables }: StoredTables,
  caller: FilesCaller & { readonly signal: AbortSignal },
  wanted: { file: string; sheet?: string | undefined },
): Promise<StoredTable> {
  const { file_id, name, size } = await files.find(caller, wanted.file)
  const { stored_as, path, reading } = await files.locate(caller, file_id)
  const source: TableSource = {
    owner: caller.user_id,
    key: stored_as,
    name,
    size,
    path,
    reading: reading === null ? {} : (JSON.parse(reading) as TableReading),
    async *read() {
      yield* await files.open(caller, file_id)
    },
  }
  const { format, encoding, sheets } = await tables.describe(source, caller.signal)
  const sheet =
    wanted.sheet === undefined
      ? sheets[0]
      : (sheets.find((each) => each.name === wanted.sheet) ??
        sheets.find((each) => each.name.toLowerCase() === wanted.sheet!.toLowerCase()))
  if (sheet === undefined) {
    const names = sheets.slice(0, 30).map((each) => `"${each.name}"`)
    throw new TableError(
      'bad_view',
      say`There is no sheet "${wanted.sheet ?? ''}" in "${name}". There are: ${names.join(', ')}.`,
    )
  }
  return {
    source,
    name,
    format,
    encoding,
    sheet: sheet.name,
    sheets,
    columns: sheet.columns,
    rows: sheet.rows,
    notices: sheet.notices.map(String),
  }
}
