import { rowOf } from '../shape/cell.ts'
import type { PageRows } from '../shape/table-job.ts'
import type { PreparedColumn } from '../shape/table-shape.ts'

/** SQL of the cells that `shownRows` needs: the values of these columns, then what the file has in their place. */
export function shownSql(columns: readonly PreparedColumn[], places: readonly number[]): string {
  if (places.length === 0) return 'NULL'
  const originals = places.filter((i) => columns[i]!.written === true).map((i) => `o${i}`)
  return [...places.map((i) => `c${i}`), ...originals].join(', ')
}

/** Rows by the keys of the selected columns, and the cells as they are in the file where the values look different. */
export function shownRows(
  found: readonly (readonly unknown[])[],
  picked: readonly PreparedColumn[],
): Pick<PageRows, 'rows' | 'texts'> {
  const rows = found.map((row) => rowOf(row, picked))
  const written = picked.filter((column) => column.written === true)
  if (written.length === 0) return { rows }
  const texts = found.map((row) =>
    Object.fromEntries(
      written.flatMap(({ key }, n) => {
        const text = row[picked.length + n] as string | null
        return text === null ? [] : [[key, text]]
      }),
    ),
  )
  return { rows, texts }
}
