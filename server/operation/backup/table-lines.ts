import { RowSum } from '../../db/snapshot/row-sum.ts'
import type { Row, Snapshot, SnapshotTable } from '../../db/snapshot/snapshot.ts'
import { ROWS_AT_ONCE } from '../../db/snapshot/snapshot.ts'

/** The rows of a table in backup format: one JSON array per line. `see` is called with every row. */
export async function* tableLines(
  snapshot: Snapshot,
  table: SnapshotTable,
  sum: RowSum,
  see?: (row: Row) => void,
): AsyncGenerator<Uint8Array> {
  for await (const rows of snapshot.rows(table)) {
    let text = ''
    for (const row of rows) {
      const line = JSON.stringify(row)
      sum.add(line)
      see?.(row)
      text += `${line}\n`
    }
    yield Buffer.from(text)
  }
}

/** Parses these lines back into rows. */
export async function* readTableLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Row[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let rows: Row[] = []
  for await (const piece of bytes) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop()!
    for (const line of lines) rows.push(JSON.parse(line) as Row)
    if (rows.length < ROWS_AT_ONCE) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}

/** Row counts and checksums of all tables of a database, to compare with those of a backup. */
export async function sumTables(snapshot: Snapshot): Promise<{ name: string; rows: number; sum: string }[]> {
  const sums = []
  for (const table of snapshot.tables) {
    const sum = new RowSum()
    for await (const rows of snapshot.rows(table)) for (const row of rows) sum.addRow(row)
    sums.push({ name: table.name, ...sum.result() })
  }
  return sums
}
