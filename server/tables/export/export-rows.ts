import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { openDuck } from '../query/duck.ts'
import { engineFailure } from '../query/engine-failure.ts'
import { say } from '../../kernel/sentence.ts'
import { sqlName, sqlText } from '../shape/sql-text.ts'
import { TableError } from '../shape/table-error.ts'
import type { ExportRowsJob } from '../shape/table-job.ts'
import type { ExportColumn, ExportRow } from '../shape/export-plan.ts'
import { jsonValue } from './data-value.ts'
import { uniqueKeys } from './unique-keys.ts'
import { copied } from './write-parquet.ts'

const THREADS = 1
const MEMORY = 256

/** Writes the rows of a request as Parquet, piece by piece. @throws {TableError} failed */
export async function exportRows(job: ExportRowsJob, send: (piece: Uint8Array) => Promise<void>): Promise<void> {
  const { plan, rows, scratch } = job
  const path = join(scratch, 'rows.ndjson')
  const values = plan.columns.map(jsonValue)
  const types = plan.columns.map((column, i) => sqlType(column, rows, i))
  await using file = await open(path, 'w')
  for (const row of rows) {
    const cells = values.map((value, i) => {
      const cell = value(row[i])
      return cell !== null && types[i] === 'VARCHAR' ? String(cell) : cell
    })
    await file.write(`${JSON.stringify(Object.fromEntries(cells.map((cell, i) => [`c${i}`, cell])))}\n`)
  }
  using duck = await openDuck({ threads: THREADS, memory: MEMORY, scratch })
  try {
    await duck.lock([], [scratch])
    const given = types.map((type, i) => `c${i}: ${sqlText(type)}`).join(', ')
    const cells = uniqueKeys(plan.columns).map((key, i) => `c${i} AS ${sqlName(key)}`)
    const from = `read_json(${sqlText(path)}, format = 'newline_delimited', columns = {${given}})`
    for await (const piece of copied(duck, `SELECT ${cells.join(', ')} FROM ${from}`, plan, scratch)) await send(piece)
  } catch (error) {
    throw error instanceof TableError ? error : engineFailure(error, say`The table cannot be exported`, 'failed')
  }
}

/** A column's type if every cell fits it; text otherwise. */
function sqlType(column: ExportColumn, rows: readonly ExportRow[], place: number): string {
  const value = jsonValue(column)
  const fits = (test: (cell: unknown) => boolean): boolean =>
    rows.every((row) => {
      const cell = value(row[place])
      return cell === null || test(cell)
    })
  switch (column.type) {
    case 'integer':
    case 'number':
    case 'percent':
    case 'bytes':
    case 'duration':
      if (fits(Number.isSafeInteger)) return column.type === 'number' || column.type === 'percent' ? 'DOUBLE' : 'BIGINT'
      return fits((cell) => typeof cell === 'number') ? 'DOUBLE' : 'VARCHAR'
    case 'boolean':
      return fits((cell) => typeof cell === 'boolean') ? 'BOOLEAN' : 'VARCHAR'
    case 'date':
      return fits((cell) => typeof cell === 'string' && isDay(cell)) ? 'DATE' : 'VARCHAR'
    case 'datetime':
      return fits((cell) => typeof cell === 'string' && isMoment(cell)) ? 'TIMESTAMP' : 'VARCHAR'
    case 'text':
      return 'VARCHAR'
  }
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}

function isMoment(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?Z?$/.test(text) && !Number.isNaN(Date.parse(text))
}
