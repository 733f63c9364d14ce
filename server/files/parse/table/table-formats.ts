/** Formats that only a table engine can read. */
const BINARY = new Set('xlsx xlsm xltx xltm xls xlsb ods ots parquet sqlite sqlite3 db'.split(' '))
/** Text formats, read as text while short: the size in bytes above which they are given as a table. */
const TEXT: Readonly<Record<string, number>> = {
  csv: 64 * 1024,
  tsv: 64 * 1024,
  tab: 64 * 1024,
  psv: 64 * 1024,
  jsonl: 64 * 1024,
  ndjson: 64 * 1024,
  // Often not a table at all: only where it would otherwise be cut.
  json: 200_000,
}

/** Whether a file is read as a table: `only` as one, `rather` as one than as text, or not at all. */
export function tableFormat(extension: string, size: number): 'only' | 'rather' | null {
  if (BINARY.has(extension)) return 'only'
  return Object.hasOwn(TEXT, extension) && size > TEXT[extension]! ? 'rather' : null
}
