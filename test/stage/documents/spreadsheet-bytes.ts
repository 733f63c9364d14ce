import { columnLetters } from '../../../server/tables/sheet/column-letters.ts'
import { zipBytes, type ZipEntry } from './zip-bytes.ts'

/** Spreadsheet files written by hand, part by part: tests need ones that no program writes. */

const TRANSITIONAL = 'http://schemas.openxmlformats.org'
export const STRICT = 'http://purl.oclc.org/ooxml'

export interface RawSheet {
  readonly name: string
  /** What stands within `sheetData`. */
  readonly data: string
  /** Behind it. */
  readonly after?: string
  readonly state?: string
}
export interface RawBook {
  readonly sheets: readonly RawSheet[]
  /** What stands within `sst`. */
  readonly strings?: string
  /** Format codes: cell style n has code n - 1; style 0 has none. A number is a built-in format. */
  readonly formats?: readonly (string | number)[]
  readonly workbookPr?: string
  readonly base?: string
  /** Instead of, or besides, what is written: null leaves a part out. */
  readonly parts?: Readonly<Record<string, string | Buffer | null>>
}

export function xlsxBytes(book: RawBook): Buffer {
  const base = book.base ?? TRANSITIONAL
  const [main, rel] =
    base === STRICT
      ? [`${base}/spreadsheetml/main`, `${base}/officeDocument/relationships`]
      : [`${base}/spreadsheetml/2006/main`, `${base}/officeDocument/2006/relationships`]
  const relations = (all: readonly (readonly [string, string, string])[]): string =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.map(([id, type, target]) => `<Relationship Id="${id}" Type="${rel}/${type}" Target="${target}"/>`).join('')}</Relationships>`
  const sheets = book.sheets.map(
    ({ name, state }, i) =>
      `<sheet name="${escapeXml(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"${state === undefined ? '' : ` state="${state}"`}/>`,
  )
  const formats = book.formats ?? []
  const parts: Record<string, string | Buffer | null> = {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': relations([['rId1', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<?xml version="1.0"?>\n<workbook xmlns="${main}" xmlns:r="${rel}">${book.workbookPr ?? ''}<sheets>${sheets.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...book.sheets.map((_, i) => [`rId${i + 1}`, 'worksheet', `worksheets/sheet${i + 1}.xml`] as const),
      ['s', 'styles', 'styles.xml'],
      ['t', 'sharedStrings', 'sharedStrings.xml'],
    ]),
    'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts>${formats.map((code, i) => (typeof code === 'number' ? '' : `<numFmt numFmtId="${200 + i}" formatCode="${escapeXml(code)}"/>`)).join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats.map((code, i) => `<xf numFmtId="${typeof code === 'number' ? code : 200 + i}"/>`).join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': book.strings === undefined ? null : `<sst xmlns="${main}">${book.strings}</sst>`,
  }
  for (const [i, { data, after = '' }] of book.sheets.entries())
    parts[`xl/worksheets/sheet${i + 1}.xml`] =
      `<?xml version="1.0" encoding="UTF-8"?>\n<worksheet xmlns="${main}"><dimension ref="A1"/><sheetData>${data}</sheetData>${after}</worksheet>`
  return zipBytes(entriesOf({ ...parts, ...book.parts }))
}

export interface RawDocument {
  /** What stands within `office:spreadsheet`. */
  readonly tables: string
  readonly styles?: string
  readonly manifest?: string
  readonly parts?: Readonly<Record<string, string | Buffer | null>>
}

export function odsBytes({ tables, styles = '', manifest, parts = {} }: RawDocument): Buffer {
  const names = ['office', 'table', 'text', 'style'].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  )
  const calcext = 'xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
  const mime: ZipEntry = { name: 'mimetype', data: 'application/vnd.oasis.opendocument.spreadsheet', store: true }
  const written = {
    'META-INF/manifest.xml': manifest ?? null,
    'content.xml': `<?xml version="1.0" encoding="UTF-8"?><office:document-content ${names.join(' ')} ${calcext}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></office:document-content>`,
    ...parts,
  }
  return zipBytes([mime, ...entriesOf(written)])
}

function entriesOf(parts: Readonly<Record<string, string | Buffer | null>>): ZipEntry[] {
  return Object.entries(parts).flatMap(([name, data]) => (data === null ? [] : [{ name, data }]))
}

/** Rows of inline texts, as sheet data. */
export function textRows(rows: readonly (readonly string[])[]): string {
  return rows
    .map(
      (row, r) =>
        `<row r="${r + 1}">${row.map((text, c) => `<c r="${columnLetters(c)}${r + 1}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`).join('')}</row>`,
    )
    .join('')
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
