import { columnLetters } from '../sheet/column-letters.ts'
import { xmlText } from './xml-text.ts'

export interface WrittenSheet {
  readonly name: string
  /** Columns and rows of data; null for a sheet without a filter. */
  readonly filter: { readonly columns: number; readonly rows: number } | null
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const MAIN = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The parts that are known before the first row, by name. */
export function firstParts({ title, by, at }: { title: string; by: string; at: string }): [string, string][] {
  const time = (name: string): string =>
    `<dcterms:${name} xsi:type="dcterms:W3CDTF">${at.slice(0, 19)}Z</dcterms:${name}>`
  return [
    [
      '_rels/.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
        `<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/>` +
        `<Relationship Id="rId2" Type="${PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/>` +
        '</Relationships>',
    ],
    [
      'docProps/core.xml',
      `${XML}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" ` +
        'xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
        `<dc:title>${xmlText(title)}</dc:title><dc:creator>${xmlText(by)}</dc:creator>` +
        `${time('created')}${time('modified')}</cp:coreProperties>`,
    ],
  ]
}

/** The parts that list the sheets. */
export function lastParts(sheets: readonly WrittenSheet[]): [string, string][] {
  const each = (text: (sheet: WrittenSheet, number: number) => string): string =>
    sheets.map((sheet, i) => text(sheet, i + 1)).join('')
  return [
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}">` +
        '<bookViews><workbookView activeTab="0"/></bookViews><sheets>' +
        each(({ name }, n) => `<sheet name="${xmlText(name)}" sheetId="${n}" r:id="rId${n}"/>`) +
        '</sheets><definedNames>' +
        each(({ name, filter }, n) =>
          filter === null
            ? ''
            : `<definedName name="_xlnm._FilterDatabase" localSheetId="${n - 1}" hidden="1">` +
              `${xmlText(`'${name.replaceAll("'", "''")}'`)}!$A$1:$${columnLetters(filter.columns - 1)}$${filter.rows + 1}</definedName>`,
        ) +
        '</definedNames></workbook>',
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
        each((_, n) => `<Relationship Id="rId${n}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${n}.xml"/>`) +
        `<Relationship Id="rId${sheets.length + 1}" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    ],
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types">` +
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
        '<Default Extension="xml" ContentType="application/xml"/>' +
        `<Override PartName="/xl/workbook.xml" ContentType="${MAIN}.sheet.main+xml"/>` +
        each((_, n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${MAIN}.worksheet+xml"/>`) +
        `<Override PartName="/xl/styles.xml" ContentType="${MAIN}.styles+xml"/>` +
        '<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>' +
        '</Types>',
    ],
  ]
}
