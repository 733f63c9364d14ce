import type { Trx } from '../../db/database.ts'
import type { ImportRow } from './import-rows.ts'

/** Rows per statement: a fixed number, so that few statement shapes stay prepared. */
const TOGETHER = 20

/** Inserts the rows of an import, referenced rows first. */
export async function insertRows(trx: Trx, rows: readonly ImportRow[]): Promise<void> {
  const of = <T extends ImportRow['table']>(table: T) =>
    rows.flatMap((each) => (each.table === table ? [each.row as Extract<ImportRow, { table: T }>['row']] : []))
  for (const some of pieces(of('run'))) await trx.insertInto('run').values(some).execute()
  for (const some of pieces(of('message'))) await trx.insertInto('message').values(some).execute()
  for (const some of pieces(of('tool_call'))) await trx.insertInto('tool_call').values(some).execute()
  for (const some of pieces(of('message_part'))) await trx.insertInto('message_part').values(some).execute()
}

/** Pieces of TOGETHER rows, then the rest one by one. */
function* pieces<T>(rows: readonly T[]): Generator<T[]> {
  const whole = rows.length - (rows.length % TOGETHER)
  for (let i = 0; i < whole; i += TOGETHER) yield rows.slice(i, i + TOGETHER)
  for (const row of rows.slice(whole)) yield [row]
}
