import { attach } from './attach.ts'
import { openDuck, type Duck } from './duck.ts'
import { engineFailure } from './engine-failure.ts'
import { say } from '../../kernel/sentence.ts'
import { TableError } from '../shape/table-error.ts'
import { shownRows, shownSql } from './shown-rows.ts'
import type { PageJob, PageRows } from '../shape/table-job.ts'
import { viewSql } from './view-sql.ts'
import { ORDER_TABLE } from './write-order.ts'

const THREADS = 2
const MEMORY = 512

/** The rows of one sheet that a view selects. @throws {TableError} bad_view, failed */
export async function readPage(job: PageJob): Promise<PageRows> {
  const { sheet, offset, limit } = job
  const { columns, where, order } = viewSql(sheet.columns, job.view, job.language)
  using duck = await openDuck({ threads: THREADS, memory: MEMORY, scratch: job.scratch })
  try {
    await attach(duck, sheet.file, 'data')
    if (job.order !== undefined) await attach(duck, job.order, 'kept')
    await duck.lock()
    const table = `data.t${sheet.index}`
    const picked = columns.map((i) => sheet.columns[i]!)
    const shown = shownSql(sheet.columns, columns)
    if (job.order !== undefined) {
      const kept = `kept.${ORDER_TABLE}`
      const [[total] = [0n]] = (await duck.rows(`SELECT count(*) FROM ${kept}`)) as [bigint][]
      const places = await duck.rows(`SELECT place FROM ${kept} WHERE rowid >= ${offset} AND rowid < ${offset + limit}`)
      const found =
        places.length === 0 ? [] : await rowsAt(duck, { table, shown, places: places.map(([at]) => at as bigint) })
      return { ...shownRows(found, picked), total_rows: Number(total) }
    }
    const total =
      where === null ? sheet.rows : Number((await duck.rows(`SELECT count(*) FROM ${table} WHERE ${where}`))[0]![0])
    const page =
      where === null && order === null
        ? // Rows are never deleted, so their number is their place.
          `WHERE rowid >= ${offset} AND rowid < ${offset + limit}`
        : `${where === null ? '' : `WHERE ${where} `}${order === null ? '' : `ORDER BY ${order} `}LIMIT ${limit} OFFSET ${offset}`
    const rows = offset >= total ? [] : await duck.rows(`SELECT ${shown} FROM ${table} ${page}`)
    return { ...shownRows(rows, picked), total_rows: total }
  } catch (error) {
    throw error instanceof TableError ? error : engineFailure(error, say`The table cannot be shown like this`, 'failed')
  }
}

/** The rows at these positions, in this order. */
async function rowsAt(
  duck: Duck,
  { table, shown, places }: { table: string; shown: string; places: readonly bigint[] },
): Promise<unknown[][]> {
  const found = new Map<bigint, unknown[]>()
  for (const [place, ...row] of await duck.rows(
    `SELECT rowid, ${shown} FROM ${table} WHERE rowid IN (${places.join(', ')})`,
  ))
    found.set(BigInt(place as bigint), row)
  return places.map((place) => found.get(place)!)
}
