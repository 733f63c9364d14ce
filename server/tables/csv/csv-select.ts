import { sqlText } from '../shape/sql-text.ts'

/**
 * SQL over a delimited UTF-8 file with `width` text columns `c0`, `c1`, …. Nothing is detected: the engine's own
 * detection loses digits and turns ragged rows into one column. `padded`: rows may be shorter. `ours`: we wrote the
 * file, so that a line ends with LF and a carriage return is an ordinary character; else the engine takes the first
 * line end it sees, even in quotes.
 */
export function csvSelect(
  path: string,
  {
    delimiter,
    skip,
    width,
    padded,
    ours,
  }: { delimiter: string; skip: number; width: number; padded: boolean; ours: boolean },
): string {
  const columns = Array.from({ length: width }, (_, i) => `c${i}: 'VARCHAR'`).join(', ')
  const more = padded ? ', null_padding = true, parallel = false, max_line_size = 16777216, buffer_size = 33554432' : ''
  const lines = ours ? ", new_line = '\\n'" : ''
  return (
    `SELECT * FROM read_csv(${sqlText(path)}, auto_detect = false, delim = ${sqlText(delimiter)}, quote = '"', escape = '"', ` +
    `header = false, skip = ${skip}, columns = {${columns}}, compression = 'none'${lines}${more})`
  )
}
