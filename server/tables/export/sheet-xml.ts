import { columnLetters } from '../sheet/column-letters.ts'
import { STYLE } from './cell-styles.ts'
import { xmlText } from './xml-text.ts'

export interface SheetColumn {
  readonly label: string
  /** Characters. */
  readonly width: number
  readonly hidden: boolean
}

const START =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
  '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'

/**
 * The beginning of a data sheet, up to and including its header, which stays in view. `first`: the sheet shown when the
 * file is opened.
 */
export function sheetStart(columns: readonly SheetColumn[], first: boolean): string {
  const widths = columns.map(
    ({ width, hidden }, i) =>
      `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"${hidden ? ' hidden="1"' : ''}/>`,
  )
  const cells = columns.map(
    ({ label }, i) => `<c r="${columnLetters(i)}1" s="${STYLE.header}" t="inlineStr"><is>${inline(label)}</is></c>`,
  )
  return (
    `${START}<sheetViews><sheetView${first ? ' tabSelected="1"' : ''} workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' +
    '<selection pane="bottomLeft" activeCell="A2" sqref="A2"/></sheetView></sheetViews>' +
    `<sheetFormatPr defaultRowHeight="15"/><cols>${widths.join('')}</cols><sheetData><row r="1">${cells.join('')}</row>`
  )
}

/** The end of a data sheet with this many rows. Digits stored as text are intended: no warning marks. */
export function sheetEnd(columns: number, rows: number): string {
  const range = `A1:${columnLetters(columns - 1)}${rows + 1}`
  return (
    `</sheetData><autoFilter ref="${range}"/>` +
    '<pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/>' +
    `<ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors></worksheet>`
  )
}

/** A sheet of names and values. */
export function noteSheet(lines: readonly (readonly [string, string])[]): string {
  const rows = lines.map(
    ([name, text], i) =>
      `<row r="${i + 1}"><c r="A${i + 1}" s="${STYLE.name}" t="inlineStr"><is>${inline(name)}</is></c>` +
      `<c r="B${i + 1}" s="${STYLE.wrapped}" t="inlineStr"><is>${inline(text)}</is></c></row>`,
  )
  return (
    `${START}<sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetFormatPr defaultRowHeight="15"/>` +
    '<cols><col min="1" max="1" width="20" customWidth="1"/><col min="2" max="2" width="100" customWidth="1"/></cols>' +
    `<sheetData>${rows.join('')}</sheetData>` +
    '<pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/></worksheet>'
  )
}

function inline(text: string): string {
  return `<t xml:space="preserve">${xmlText(text)}</t>`
}
