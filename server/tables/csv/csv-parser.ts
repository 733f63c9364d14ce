import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'

/** A record, or a quoted field, longer than this is a broken file and not a table. UTF-16 units. */
const RECORD_LIMIT = 16 * 1024 * 1024
const QUOTED_LIMIT = 1024 * 1024

export interface CsvParser {
  push(text: string): void
  end(): void
  /** Fields with unbalanced quotes; each was kept as is. */
  readonly badQuotes: number
}

/**
 * Parses delimited text the way people write it: any line ends, mixed; rows of any length; quotes in the middle of a
 * field or never closed. Drops nothing but empty lines. `onRow` gets the cells and the number of the record, from 1.
 * @throws {TableError} too_large for a record over 16 M characters, from push and end
 */
export function openCsvParser(delimiter: string, onRow: (cells: string[], record: number) => void): CsvParser {
  let rest = ''
  let record = 0
  let badQuotes = 0

  function run(text: string, final: boolean): string {
    let from = 0
    // The next line end of each kind, looked up again only once it has been passed.
    let feed = -1
    let carriage = -1
    const lineEnd = (at: number): number => {
      if (feed < at) feed = orEnd(text.indexOf('\n', at))
      if (carriage < at) carriage = orEnd(text.indexOf('\r', at))
      return Math.min(feed, carriage)
    }
    while (from < text.length) {
      const cells: string[] = []
      let bad = 0
      let at = from
      for (;;) {
        const quoted = text[at] === '"' ? closedAt(text, at, delimiter, final) : NOT_QUOTED
        if (quoted === UNFINISHED) return text.slice(from)
        let end: number
        if (quoted === NOT_QUOTED) {
          if (text[at] === '"') bad++
          const line = lineEnd(at)
          const next = text.indexOf(delimiter, at)
          end = next >= 0 && next < line ? next : Math.min(line, text.length)
          cells.push(text.slice(at, end))
        } else {
          end = quoted + 1
          while (text[end] === ' ') end++
          const inner = text.slice(at + 1, quoted)
          cells.push(inner.includes('"') ? inner.replaceAll('""', '"') : inner)
        }
        if (end >= text.length && !final) return text.slice(from)
        if (text[end] === delimiter) {
          at = end + 1
          // A delimiter as the very last character means one more empty cell.
          if (at < text.length) continue
          if (!final) return text.slice(from)
          cells.push('')
          end = text.length
        }
        if (text[end] === '\r' && end + 1 >= text.length && !final) return text.slice(from)
        from = text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1
        break
      }
      record++
      badQuotes += bad
      if (cells.length > 1 || cells[0] !== '') onRow(cells, record)
    }
    return ''
  }

  return {
    push(text) {
      rest = run(rest + text, false)
      if (rest.length > RECORD_LIMIT)
        throw new TableError(
          'too_large',
          say`Row ${record + 1} is longer than 16 million characters: this is not a table.`,
        )
    },
    end() {
      rest = run(rest, true)
    },
    get badQuotes() {
      return badQuotes
    },
  }
}

/** How far along its line the end of a field is searched. */
const LOOK_AHEAD = 4096
const NOT_QUOTED = -1
const UNFINISHED = -2

function orEnd(at: number): number {
  return at < 0 ? Infinity : at
}

/** The position of the quote that closes the field opened at `open`; NOT_QUOTED when the field is better read as is. */
function closedAt(text: string, open: number, delimiter: string, final: boolean): number {
  let at = open + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return final || text.length - open > QUOTED_LIMIT ? NOT_QUOTED : UNFINISHED
    let after = quote + 1
    while (text[after] === ' ') after++
    const next = text[after]
    if (next === undefined) return final ? quote : UNFINISHED
    if (next === delimiter || next === '\n' || next === '\r') return quote
    if (text[quote + 1] === '"') {
      at = quote + 2
      continue
    }
    // An undoubled quote inside quoted text: accepted when the field ends properly on the same line.
    const line = text.slice(quote, quote + LOOK_AHEAD).search(/[\r\n]/)
    if (line < 0 && !final && text.length - quote < LOOK_AHEAD) return UNFINISHED
    const within = text.slice(quote, line < 0 ? quote + LOOK_AHEAD : quote + line + 1)
    const end = within.search(new RegExp(`"(?=[\\r\\n]|${delimiter === '|' ? '\\|' : delimiter}${final ? '|$' : ''})`))
    if (end < 0) return NOT_QUOTED
    at = quote + end
  }
}
