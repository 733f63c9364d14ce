import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { typedSql } from '../query/column-sql.ts'
import type { Duck } from '../query/duck.ts'
import { sqlName, sqlText } from '../shape/sql-text.ts'
import type { Cast } from '../shape/table-shape.ts'
import { exportLines, type ExportPlan } from '../shape/export-plan.ts'
import { uniqueKeys } from './unique-keys.ts'

export interface ParquetTable {
  readonly plan: ExportPlan
  /** What follows FROM: a table with its conditions and its order. */
  readonly from: string
  /** For each column of the plan, the index of its text column. */
  readonly columns: readonly number[]
}

/** Rows compressed together; this many are held in memory. */
const GROUP = 61_440

/**
 * A table as Parquet (zstd), its columns named by their keys and typed; its provenance is in the metadata, under
 * `provenance`. Such a file ends with an index of its contents, so it is written to disk first: nothing is sent before
 * it is complete.
 */
export async function* writeParquet(
  duck: Duck,
  { plan, from, columns }: ParquetTable,
  scratch: string,
): AsyncGenerator<Uint8Array> {
  const keys = uniqueKeys(plan.columns)
  const cells = plan.columns.map(({ cast }, i) => `${parquetSql(`c${columns[i]!}`, cast!)} AS ${sqlName(keys[i]!)}`)
  yield* copied(duck, `SELECT ${cells.join(', ')} FROM ${from}`, plan, scratch)
}

/** The result of a query, as Parquet. */
export async function* copied(
  duck: Duck,
  select: string,
  plan: ExportPlan,
  scratch: string,
): AsyncGenerator<Uint8Array> {
  const path = join(scratch, 'export.parquet')
  const provenance = JSON.stringify({
    Title: plan.title,
    ...Object.fromEntries(plan.origin),
    ...Object.fromEntries(exportLines(plan)),
    Notices: plan.notices,
  })
  await duck.run(
    `COPY (${select}) TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${GROUP}, ` +
      `KV_METADATA {provenance: ${sqlText(provenance)}})`,
  )
  try {
    yield* createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>
  } finally {
    await rm(path, { force: true })
  }
}

/**
 * A text column as a type that Parquet keeps without loss: integers of more than 64 bits stay text, times with an
 * offset become timestamps.
 */
function parquetSql(text: string, cast: Cast): string {
  if (cast.kind === 'integer' && cast.wide) return text
  if (cast.kind === 'datetime' && cast.zoned) return `TRY_CAST(${text} AS TIMESTAMPTZ)`
  return typedSql(text, cast)
}
