import { attach } from '../query/attach.ts'
import { openDuck, type Duck } from '../query/duck.ts'
import { engineFailure } from '../query/engine-failure.ts'
import { say } from '../../kernel/sentence.ts'
import { TableError } from '../shape/table-error.ts'
import type { ExportJob, StoredSheet } from '../shape/table-job.ts'
import type { SheetView } from '../shape/sheet-view.ts'
import { viewSql } from '../query/view-sql.ts'
import type { ExportRow } from '../shape/export-plan.ts'
import { joinedSql, splitRow } from './joined-rows.ts'
import { writeExport } from './write-export.ts'
import { writeParquet } from './write-parquet.ts'

const THREADS = 2
/** Sorting spills to disk beyond this. */
const MEMORY = 256

/**
 * Writes the rows of stored sheets as a file, piece by piece. An invalid view is reported before the first piece.
 * @throws {TableError} bad_view, stale, failed
 */
export async function exportSheet(job: ExportJob, send: (piece: Uint8Array) => Promise<void>): Promise<void> {
  const { format, book, archive, language, sheets } = job
  const files = [...new Set(sheets.map(({ sheet }) => sheet.file))]
  const selects = sheets.map(({ sheet, view }) =>
    selectOf(`data_${files.indexOf(sheet.file)}`, sheet, { view, language }),
  )
  using duck = await openDuck({ threads: THREADS, memory: MEMORY, scratch: job.scratch })
  try {
    for (const [i, file] of files.entries()) await attach(duck, file, `data_${i}`)
    await duck.lock([], [job.scratch])
    // The first query starts before the first byte is sent, so that an immediate failure can still be reported.
    const first = format === 'parquet' ? null : await openRows(duck, selects[0]!.joined)
    const tables = sheets.map(({ plan }, i) => ({
      plan,
      batches: i === 0 && first !== null ? first : rowsOf(duck, selects[i]!.joined),
      parquet: () => writeParquet(duck, { plan, from: selects[i]!.from, columns: selects[i]!.columns }, job.scratch),
    }))
    for await (const piece of writeExport({ format, book, archive }, tables)) await send(piece)
  } catch (error) {
    throw error instanceof TableError ? error : engineFailure(error, say`The table cannot be exported`, 'failed')
  }
}

function selectOf(
  name: string,
  sheet: StoredSheet,
  { view, language }: { view: SheetView; language: string | undefined },
) {
  const { columns, where, order } = viewSql(sheet.columns, view, language)
  const from =
    `${name}.t${sheet.index}` +
    `${where === null ? '' : ` WHERE ${where}`}${order === null ? '' : ` ORDER BY ${order}`}`
  return { columns, from, joined: `SELECT ${joinedSql(columns)} FROM ${from}` }
}

async function* rowsOf(duck: Duck, sql: string): AsyncGenerator<ExportRow[]> {
  yield* await openRows(duck, sql)
}

/** Rows as the engine finds them. The query has started once this resolves. */
async function openRows(duck: Duck, sql: string): Promise<AsyncGenerator<ExportRow[]>> {
  const result = await duck.connection.stream(sql)
  return (async function* () {
    let next = result.fetchChunk()
    for (;;) {
      const chunk = await next
      if (chunk === null || chunk.rowCount === 0) return
      // The engine works ahead while these are written.
      next = result.fetchChunk()
      next.catch(() => undefined)
      const texts = chunk.getColumnVector(0)
      const rows: ExportRow[] = []
      for (let i = 0; i < chunk.rowCount; i++) rows.push(splitRow(texts.getItem(i) as string))
      yield rows
    }
  })()
}
