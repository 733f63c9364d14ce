import type { Duck } from '../query/duck.ts'
import type { Written } from './written-values.ts'

/**
 * Replaces written values by plain ones, in row order; the cells as they are in the file are kept beside them as
 * `o<index>`.
 */
export async function keepWritten(
  duck: Duck,
  table: string,
  columns: readonly { readonly written?: Written | undefined }[],
): Promise<void> {
  if (columns.every(({ written }) => written === undefined)) return
  const cells = columns.flatMap(({ written }, i) =>
    written === undefined ? [`c${i}`] : [`${written.value(`c${i}`)} AS c${i}`, `c${i} AS o${i}`],
  )
  await duck.run(`CREATE TABLE ${table}_plain AS SELECT ${cells.join(', ')} FROM ${table}`)
  await duck.run(`DROP TABLE ${table}`)
  await duck.run(`ALTER TABLE ${table}_plain RENAME TO ${table.split('.').at(-1)!}`)
}
