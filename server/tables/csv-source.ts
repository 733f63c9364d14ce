import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { openCsvParser } from './csv-parser.ts'
import { sniffDialect, type CsvDialect } from './csv-dialect.ts'
import { csvSelect } from './csv-select.ts'
import { openRowFile } from './row-file.ts'
import type { Reading, SheetDraft, SheetReader } from './sheet-draft.ts'
import { TableError } from './table-error.ts'
import { say } from '../kernel/sentence.ts'
import { COLUMN_LIMIT } from './table-shape.ts'
import { decodedText, findEncoding, transcode } from './text-encoding.ts'

/** What is looked at to find the delimiter: this much, or more where the first line is longer. */
const HEAD = 64 * 1024
const LONG_HEAD = 16 * 1024 * 1024
const DRAIN_EVERY = 1024

/**
 * Delimited text. A clean file is read by the engine as it stands; one that is not strictly regular is read by our own parser, which
 * keeps every cell, and written out clean.
 */
export const readCsv: SheetReader = async (reading) => {
  const { path, scratch, name } = reading
  const { encoding, valid } = await findEncoding(path, reading.rows !== null)
  const notices: string[] = []
  let text = path
  if (encoding !== 'utf-8' || !valid) {
    text = join(scratch, 'text.csv')
    const broken = await transcode(path, encoding, createWriteStream(text))
    if (broken > 0) notices.push(`${broken} places are no valid ${encoding.toUpperCase()}; they show as \uFFFD.`)
  }
  const head = await readHead(text)
  const dialect = sniffDialect(head.text, head.whole, name)
  if (dialect.width > COLUMN_LIMIT) throw tooWide(dialect.width)
  const strict: SheetDraft = {
    name: 'Sheet1',
    columns: columnsOf(dialect, dialect.width),
    select: csvSelect(text, {
      delimiter: dialect.delimiter,
      skip: dialect.skip + (dialect.header === null ? 0 : 1),
      width: Math.max(dialect.width, 1),
      padded: false,
    }),
    notices,
    fallback: () => readPatiently(reading, text, dialect, notices),
  }
  // Lines are skipped, not rows: a label with a line end in it needs the parser.
  const plainHeader = dialect.header?.every((label) => !/[\r\n]/.test(label)) ?? true
  const sheet = plainHeader && dialect.width > 0 ? strict : await strict.fallback!()
  return { encoding, delimiter: dialect.delimiter, sheets: [sheet] }
}

async function readPatiently(
  { scratch, rows: wanted }: Reading,
  text: string,
  dialect: CsvDialect,
  found: readonly string[],
): Promise<SheetDraft> {
  const clean = join(scratch, 'clean.csv')
  const rows = openRowFile(clean)
  const odd = { longer: [] as number[], shorter: [] as number[], longerCount: 0, shorterCount: 0 }
  let skip = dialect.skip + (dialect.header === null ? 0 : 1)
  const parser = openCsvParser(dialect.delimiter, (cells, record) => {
    if (skip > 0) {
      skip--
      return
    }
    // Delimiters at the end of a line are no cells.
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
      `${odd.longerCount} rows have more cells than the first one (${dialect.width}); the others stand in columns of their own. ${rowsNamed(odd.longer)}`,
    )
  if (odd.shorterCount > 0)
    notices.push(
      `${odd.shorterCount} rows have fewer cells than the first one (${dialect.width}). ${rowsNamed(odd.shorter)}`,
    )
  if (parser.badQuotes > 0)
    notices.push(`${parser.badQuotes} cells have quotes that do not match; they show as they stand in the file.`)
  const select = csvSelect(clean, { delimiter: ',', skip: 0, width, padded: true })
  return { name: 'Sheet1', columns: columnsOf(dialect, width), select, notices }
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
  throw new TableError('too_large', say`The first line is longer than 16 million characters: this is no table.`)
}

function rowsNamed(records: readonly number[]): string {
  return `First of them: row ${records.join(', ')}.`
}

function tooWide(width: number): TableError {
  return new TableError('too_large', say`This table has ${width} columns; at most ${COLUMN_LIMIT} can be read.`)
}
