import { attach } from './attach.ts'
import { rowOf } from './cell.ts'
import { openDuck } from './duck.ts'
import { engineFailure } from './engine-failure.ts'
import { say } from '../kernel/sentence.ts'
import { TableError } from './table-error.ts'
import type { PageJob, PageRows } from './table-job.ts'
import { viewSql } from './view-sql.ts'

const THREADS = 2
const MEMORY = 512

/** Rows of one sheet as a view wants them. @throws {TableError} bad_view, failed */
export async function readPage(job: PageJob): Promise<PageRows> {
  const { sheet, offset, limit } = job
  const { columns, where, order } = viewSql(sheet.columns, job.view)
  using duck = await openDuck({ threads: THREADS, memory: MEMORY, scratch: job.scratch })
  try {
    await attach(duck, sheet.file, 'data')
    await duck.lock()
    const table = `data.t${sheet.index}`
    const picked = columns.map((i) => sheet.columns[i]!)
    const shown = columns.length === 0 ? 'NULL' : columns.map((i) => `c${i}`).join(', ')
    const total =
      where === null ? sheet.rows : Number((await duck.rows(`SELECT count(*) FROM ${table} WHERE ${where}`))[0]![0])
    const page =
      where === null && order === null
        ? // Rows are never deleted, so their number is their place.
          `WHERE rowid >= ${offset} AND rowid < ${offset + limit}`
        : `${where === null ? '' : `WHERE ${where} `}${order === null ? '' : `ORDER BY ${order} `}LIMIT ${limit} OFFSET ${offset}`
    const rows = offset >= total ? [] : await duck.rows(`SELECT ${shown} FROM ${table} ${page}`)
    return {
      rows: rows.map((row) => rowOf(row, picked)),
      total_rows: total,
    }
  } catch (error) {
    throw error instanceof TableError ? error : engineFailure(error, say`The table cannot be shown like this`, 'failed')
  }
}
