import { CSV_START } from './export-format.ts'
import { textValue } from './data-value.ts'
import type { SheetToWrite } from '../shape/export-plan.ts'
import { shownLabel } from './column-layout.ts'

/** What spreadsheets take for the beginning of a formula, also in full-width characters. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
/** A number isn't one, and neither is a lone sign. */
const HARMLESS = /^[+-]?\d+([.,]\d+)*%?$|^.$/

/**
 * A table as CSV, piece by piece: UTF-8 with a byte order mark, commas, CRLF, a header line. Numbers use a decimal
 * point, dates are ISO 8601; nothing between two commas is an empty cell, `""` an empty text. Text that a spreadsheet
 * would run as a formula is prefixed with an apostrophe.
 */
export async function* writeCsv({ plan, batches }: SheetToWrite): AsyncGenerator<string> {
  const values = plan.columns.map(textValue)
  const labels = plan.columns.map((column) => csvText(guarded(shownLabel(column, plan.presentation))))
  yield `${CSV_START}${labels.join(',')}\r\n`
  for await (const batch of batches) {
    let text = ''
    for (const row of batch) {
      let line = ''
      for (let i = 0; i < values.length; i++) {
        if (i > 0) line += ','
        const cell = values[i]!(row[i])
        if (cell !== null) line += csvText(cell.written ? guarded(cell.text) : cell.text)
      }
      // An empty line wouldn't count as a row.
      text += line === '' ? '""\r\n' : `${line}\r\n`
    }
    if (text !== '') yield text
  }
}

function guarded(text: string): string {
  return FORMULA.test(text) && !HARMLESS.test(text) ? `'${text}` : text
}

function csvText(text: string): string {
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
