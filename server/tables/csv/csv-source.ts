import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { openCsvParser } from './csv-parser.ts'
import { sniffDialect, type CsvDialect } from './csv-dialect.ts'
import { csvSelect } from './csv-select.ts'
import { openRowFile } from '../draft/row-file.ts'
import type { Reading, SheetDraft, SheetReader } from '../draft/sheet-draft.ts'
import { TableError } from '../shape/table-error.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { COLUMN_LIMIT } from '../shape/table-shape.ts'
import { asUtf8, decodedText } from '../draft/text-encoding.ts'

/** Bytes examined to find the delimiter: this many, or more if the first line is longer. */
const HEAD = 64 * 1024
const LONG_HEAD = 16 * 1024 * 1024
const DRAIN_EVERY = 1024
const SHEET = 'Sheet1'

/**
 * Delimited text. A clean file is read directly by the engine; one that isn't strictly regular goes through our own
 * parser, which keeps every cell, and is written out clean.
 */
export const readCsv: SheetReader = async (reading) => {
  const { path, scratch, name } = reading
  const { encoding: wanted, delimiter } = reading.choice
  const file = await asUtf8(path, join(scratch, 'text.csv'), reading.rows !== null, wanted)
  const { path: text, encoding, encoding_guessed, notices } = file
  const header_row = reading.choice.sheets?.[SHEET]?.header_row
  const head = await readHead(text)
  const dialect = sniffDialect(head.text, head.whole, name, { delimiter, header_row })
  if (dialect.width > COLUMN_LIMIT) throw tooWide(dialect.width)
  const strict: SheetDraft = {
    name: SHEET,
    columns: columnsOf(dialect, dialect.width),
    select: csvSelect(text, {
      delimiter: dialect.delimiter,
      skip: dialect.skip + (dialect.header === null ? 0 : 1),
      width: Math.max(dialect.width, 1),
      padded: false,
      ours: false,
    }),
    notices,
    header_row: rowOfHeader(dialect),
    fallback: () => readPatiently(reading, text, dialect, notices),
  }
  // Lines are skipped, not rows: a label that contains a line end needs the parser, and so do empty lines above it.
  const plainHeader = header_row === undefined && (dialect.header?.every((label) => !/[\r\n]/.test(label)) ?? true)
  const sheet = plainHeader && dialect.width > 0 ? strict : await strict.fallback!()
  return { encoding, encoding_guessed, delimiter: dialect.delimiter, sheets: [sheet] }
}

async function readPatiently(
  { scratch, rows: wanted, allowance }: Reading,
  text: string,
  dialect: CsvDialect,
  found: readonly Sentence[],
): Promise<SheetDraft> {
  const clean = join(scratch, 'clean.csv')
  const rows = openRowFile(clean, allowance)
  const odd = { longer: [] as number[], shorter: [] as number[], longerCount: 0, shorterCount: 0 }
  let skip = dialect.skip + (dialect.header === null ? 0 : 1)
  const parser = openCsvParser(dialect.delimiter, (cells, record) => {
    if (skip > 0) {
      skip--
      return
    }
    // Trailing delimiters on a line aren't cells.
    while (cells.length > dialect.width && cells.at(-1) === '') cells.pop()
    if (cells.length > COLUMN_LIMIT) throw tooWide(cells.length)
    if (cells.length > dialect.width && ++odd.longerCount <= 5) odd.longer.push(record)
    if (cells.length < dialect.width && ++odd.shorterCount <= 5) odd.shorter.push(record)
    rows.write(cells)
  })
  let pieces = 0
  for await (const piece of decodedText(text, 'utf-8')) {
    parser.push(piece)
    if (++pieces % DRAIN_EVERY === 0) await rows.ready()
    if (wanted !== null && rows.rows >= wanted) break
  }
  if (wanted === null || rows.rows < wanted) parser.end()
  await rows.close()
  const width = Math.max(rows.width, dialect.width, 1)
  const notices = [...found]
  if (odd.longerCount > 0)
    notices.push(
      say`Rows with more cells than the first one (${dialect.width}): ${odd.longerCount}. The extra cells are in columns of their own. ${rowsNamed(odd.longer)}`,
    )
  if (odd.shorterCount > 0)
    notices.push(
      say`Rows with fewer cells than the first one (${dialect.width}): ${odd.shorterCount}. ${rowsNamed(odd.shorter)}`,
    )
  if (parser.badQuotes > 0)
    notices.push(say`Cells with unbalanced quotes, shown as they are in the file: ${parser.badQuotes}.`)
  const select = csvSelect(clean, { delimiter: ',', skip: 0, width, padded: true, ours: true })
  return { name: SHEET, columns: columnsOf(dialect, width), select, notices, header_row: rowOfHeader(dialect) }
}

function rowOfHeader({ skip, header }: CsvDialect): number {
  return header === null ? 0 : skip + 1
}

function columnsOf(dialect: CsvDialect, width: number): SheetDraft['columns'] {
  return Array.from({ length: width }, (_, i) => ({ label: dialect.header?.[i] ?? '', text: false }))
}

async function readHead(path: string): Promise<{ text: string; whole: boolean }> {
  const file = await open(path)
  try {
    for (const size of [HEAD, LONG_HEAD]) {
      const buffer = Buffer.alloc(size)
      const { bytesRead } = await file.read(buffer, 0, size, 0)
      const whole = bytesRead < size
      const text = new TextDecoder('utf-8').decode(buffer.subarray(0, bytesRead), { stream: !whole })
      if (whole || /[\r\n]/.test(text)) return { text, whole }
    }
  } finally {
    await file.close()
  }
  throw new TableError('too_large', say`The first line is longer than 16 million characters: this is not a table.`)
}

function rowsNamed(records: readonly number[]): Sentence {
  return say`The first are in row ${records.join(', ')}.`
}

function tooWide(width: number): TableError {
  return new TableError('too_large', say`This table has ${width} columns; at most ${COLUMN_LIMIT} can be read.`)
}
