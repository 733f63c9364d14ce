import { attach } from '../attach.ts'
import { openDuck, type Duck } from '../duck.ts'
import { engineFailure } from '../engine-failure.ts'
import { say } from '../../kernel/sentence.ts'
import { TableError } from '../table-error.ts'
import type { ExportJob } from '../table-job.ts'
import { viewSql } from '../view-sql.ts'
import type { ExportRow } from './export-plan.ts'
import { joinedSql, splitRow } from './joined-rows.ts'
import { writeWorkbook } from './write-workbook.ts'

const THREADS = 2
/** Sorting spills beyond it. */
const MEMORY = 256

/**
 * Writes the rows of a stored sheet as a workbook and hands out its pieces. What is wrong with the view is thrown before the first one.
 * @throws {TableError} bad_view, stale, failed
 */
export async function exportSheet(job: ExportJob, send: (piece: Uint8Array) => Promise<void>): Promise<void> {
  const { sheet, plan, view } = job
  const { columns, where, order } = viewSql(sheet.columns, view)
  using duck = await openDuck({ threads: THREADS, memory: MEMORY, scratch: job.scratch })
  try {
    await attach(duck, sheet.file, 'data')
    await duck.lock([], [job.scratch])
    const rows =
      `SELECT ${joinedSql(columns)} FROM data.t${sheet.index}` +
      `${where === null ? '' : ` WHERE ${where}`}${order === null ? '' : ` ORDER BY ${order}`}`
    for await (const piece of writeWorkbook(plan, await openRows(duck, rows))) await send(piece)
  } catch (error) {
    throw error instanceof TableError ? error : engineFailure(error, say`The table cannot be exported`, 'failed')
  }
}

/** Rows as the engine finds them. The query has begun when this answers. */
async function openRows(duck: Duck, sql: string): Promise<AsyncGenerator<ExportRow[]>> {
  const result = await duck.connection.stream(sql)
  return (async function* () {
    let next = result.fetchChunk()
    for (;;) {
      const chunk = await next
      if (chunk === null || chunk.rowCount === 0) return
      // The engine works on while these are written.
      next = result.fetchChunk()
      next.catch(() => undefined)
      const texts = chunk.getColumnVector(0)
      const rows: ExportRow[] = []
      for (let i = 0; i < chunk.rowCount; i++) rows.push(splitRow(texts.getItem(i) as string))
      yield rows
    }
  })()
}
