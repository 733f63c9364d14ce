import { sqlText } from './sql-text.ts'

/**
 * SQL over a delimited UTF-8 file with `width` text columns `c0`, `c1`, …. Nothing is guessed: the engine's own guessing loses digits and
 * makes one column of ragged rows. `padded`: rows may be shorter.
 */
export function csvSelect(
  path: string,
  { delimiter, skip, width, padded }: { delimiter: string; skip: number; width: number; padded: boolean },
): string {
  const columns = Array.from({ length: width }, (_, i) => `c${i}: 'VARCHAR'`).join(', ')
  const more = padded ? ', null_padding = true, parallel = false, max_line_size = 16777216, buffer_size = 33554432' : ''
  return (
    `SELECT * FROM read_csv(${sqlText(path)}, auto_detect = false, delim = ${sqlText(delimiter)}, quote = '"', escape = '"', ` +
    `header = false, skip = ${skip}, columns = {${columns}}, compression = 'none'${more})`
  )
}
