import { attach } from './attach.ts'
import { openDuck } from './duck.ts'
import { engineFailure } from './engine-failure.ts'
import { say } from '../../kernel/sentence.ts'
import { sqlText } from '../shape/sql-text.ts'
import { TableError } from '../shape/table-error.ts'
import type { OrderJob } from '../shape/table-job.ts'
import { viewSql } from './view-sql.ts'

const THREADS = 2
/** Sorting spills to disk beyond this. */
const MEMORY = 512
/** The table with the row positions, in a file of its own. */
export const ORDER_TABLE = 'places'

/**
 * Sorts the rows of a view once and stores their order: any page of it is then read without sorting. @throws
 * {TableError} bad_view, failed
 */
export async function writeOrder(job: OrderJob): Promise<void> {
  const { sheet } = job
  const { where, order } = viewSql(sheet.columns, job.view, job.language)
  using duck = await openDuck({ threads: THREADS, memory: MEMORY, scratch: job.scratch })
  try {
    await attach(duck, sheet.file, 'data')
    await duck.run(`ATTACH ${sqlText(job.out)} AS kept`)
    await duck.lock([], [job.scratch])
    await duck.run(
      `CREATE TABLE kept.${ORDER_TABLE} AS SELECT rowid AS place FROM data.t${sheet.index}` +
        `${where === null ? '' : ` WHERE ${where}`}${order === null ? '' : ` ORDER BY ${order}`}`,
    )
    await duck.run('DETACH kept')
  } catch (error) {
    throw error instanceof TableError
      ? error
      : engineFailure(error, say`The table cannot be sorted like this`, 'failed')
  }
}
