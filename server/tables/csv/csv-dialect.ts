import { openCsvParser } from './csv-parser.ts'
import { numberPattern } from '../query/column-sql.ts'
import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'

export interface CsvDialect {
  readonly delimiter: string
  /** Lines before the header that aren't rows: comments, and `sep=;`. */
  readonly skip: number
  /** The header's cells; null when the first row is data like the others. */
  readonly header: readonly string[] | null
  /** The number of cells in the first row. */
  readonly width: number
}

const DELIMITERS = [',', ';', '\t', '|'] as const
const SAMPLE_ROWS = 200
const NUMBER = new RegExp(`^(${numberPattern(false, true)}|${numberPattern(true, true)}|0[0-9]+)$`)
const DATE = /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([T ].*)?$/

/**
 * Finds delimiter and header of delimited text from its beginning. The delimiter is the one that splits most rows into
 * the same number of cells, more than one.
 */
export function sniffDialect(
  head: string,
  whole: boolean,
  name: string,
  chosen: { readonly delimiter?: string | undefined; readonly header_row?: number | undefined } = {},
): CsvDialect {
  const { header_row } = chosen
  // A chosen row counts from the beginning of the file.
  const preamble = skipPreamble(head)
  const { text, skip } = header_row === undefined ? preamble : { text: head, skip: 0 }
  const declared = chosen.delimiter ?? preamble.declared
  const byName = /\.(tsv|tab)$/i.test(name) ? '\t' : null
  const candidates = declared !== null ? [declared] : DELIMITERS
  let best = { delimiter: declared ?? byName ?? ',', rows: [] as string[][], score: -1 }
  for (const delimiter of candidates) {
    const rows = sampleRows(text, delimiter, whole)
    const score = scoreOf(rows) + (delimiter === byName ? 1 : 0)
    if (score > best.score) best = { delimiter, rows, score }
  }
  if (header_row !== undefined && header_row > 0) {
    const header = best.rows[header_row - 1]
    if (header === undefined)
      throw new TableError('unreadable', say`This file has no row ${header_row} that could hold the labels.`)
    return { delimiter: best.delimiter, skip: header_row - 1, header, width: header.length }
  }
  const [first = [], ...others] = best.rows
  return {
    delimiter: best.delimiter,
    skip,
    header: header_row === undefined && isHeader(first, others) ? first : null,
    width: first.length,
  }
}

function skipPreamble(head: string): { text: string; skip: number; declared: string | null } {
  let text = head
  let skip = 0
  const declared = /^sep=([,;|\t])\r?\n/i.exec(text)
  if (declared) {
    text = text.slice(declared[0].length)
    skip++
  }
  for (let line = /^#[^\r\n]*(\r\n|\n|\r)/.exec(text); line; line = /^#[^\r\n]*(\r\n|\n|\r)/.exec(text)) {
    // A `#` may also be the label of the first column; then the line resembles the next one.
    const next = /^[^\r\n]*/.exec(text.slice(line[0].length))?.[0] ?? ''
    const cells = (each: string): number => Math.max(...DELIMITERS.map((delimiter) => each.split(delimiter).length))
    if (/^#\S*[,;\t|]/.test(line[0]) && !next.startsWith('#') && cells(line[0]) > 1 && cells(line[0]) === cells(next))
      break
    text = text.slice(line[0].length)
    skip++
  }
  return { text, skip, declared: declared?.[1] ?? null }
}

function sampleRows(text: string, delimiter: string, whole: boolean): string[][] {
  const rows: string[][] = []
  const parser = openCsvParser(delimiter, (cells) => {
    if (rows.length < SAMPLE_ROWS) rows.push(cells)
  })
  parser.push(text)
  if (whole || rows.length === 0) parser.end()
  return rows
}

/** 0 for one column; else how uniform the rows are, with a small bonus for more columns. */
function scoreOf(rows: readonly string[][]): number {
  const counts = new Map<number, number>()
  for (const { length } of rows) counts.set(length, (counts.get(length) ?? 0) + 1)
  let best = 0
  for (const [width, count] of counts) {
    if (width > 1) best = Math.max(best, count / rows.length + Math.min(width, 50) / 200)
  }
  return best
}

function kindOf(cell: string): 'empty' | 'number' | 'date' | 'text' {
  const text = cell.trim()
  if (text === '') return 'empty'
  return NUMBER.test(text) ? 'number' : DATE.test(text) ? 'date' : 'text'
}

/**
 * Labels are text above other types; when everything is text, the first row is taken for labels if none of its values
 * recurs below.
 */
function isHeader(first: readonly string[], others: readonly string[][]): boolean {
  if (first.every((cell) => kindOf(cell) === 'empty')) return false
  let same = false
  for (const [i, cell] of first.entries()) {
    const kind = kindOf(cell)
    const below = new Set(others.map((row) => kindOf(row[i] ?? '')))
    below.delete('empty')
    const [only] = below
    if (kind === 'text' && below.size === 1 && only !== 'text') return true
    if ((kind === 'number' || kind === 'date') && !isYear(cell))
      same ||= below.size === 0 || (below.size === 1 && only === kind)
  }
  if (same || first.every((cell) => kindOf(cell) !== 'text')) return false
  return !first.some((cell, i) => cell.trim() !== '' && others.some((row) => row[i] === cell))
}

/** Years are common labels. */
function isYear(cell: string): boolean {
  return /^(19|20)\d\d$/.test(cell.trim())
}
