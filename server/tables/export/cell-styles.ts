import { xmlText } from './xml-text.ts'

const DATE = 'yyyy\\-mm\\-dd'
const DATETIME = 'yyyy\\-mm\\-dd hh:mm:ss'
const FIRST_OWN = 164

/** Styles that every workbook has, by number. */
export const STYLE = {
  header: 1,
  /** Text that stays text when a user edits the cell. */
  guarded: 2,
  date: 3,
  datetime: 4,
  datetime_fraction: 5,
  wrapped: 6,
  name: 7,
} as const

/** Collects the number formats that a workbook needs. */
export class CellStyles {
  readonly #codes = new Map<string, number>()

  /** The number of the style with this format. */
  of(code: string): number {
    if (code === 'General') return 0
    const found = this.#codes.get(code)
    if (found !== undefined) return found
    const style = Object.keys(STYLE).length + 1 + this.#codes.size
    this.#codes.set(code, style)
    return style
  }

  xml(): string {
    const fixed = [DATE, DATETIME, `${DATETIME}.000`]
    const codes = [...fixed, ...this.#codes.keys()]
    const formats = codes.map((code, i) => `<numFmt numFmtId="${FIRST_OWN + i}" formatCode="${xmlText(code)}"/>`)
    const own = codes.slice(fixed.length).map((_, i) => xf(`numFmtId="${FIRST_OWN + fixed.length + i}"`))
    const cells = [
      xf('numFmtId="0"'),
      xf('numFmtId="0" fontId="1" fillId="2" borderId="1"', '<alignment vertical="center"/>'),
      xf('numFmtId="49" quotePrefix="1"'),
      ...fixed.map((_, i) => xf(`numFmtId="${FIRST_OWN + i}"`)),
      xf('numFmtId="49"', '<alignment vertical="top" wrapText="1"/>'),
      xf('numFmtId="49" fontId="1"', '<alignment vertical="top"/>'),
      ...own,
    ]
    const font = '<sz val="11"/><color rgb="FF000000"/><name val="Calibri"/><family val="2"/>'
    const side = '<left/><right/><top/>'
    return (
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
      '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
      `<numFmts count="${formats.length}">${formats.join('')}</numFmts>` +
      `<fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts>` +
      '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>' +
      '<fill><patternFill patternType="solid"><fgColor rgb="FFE8EBEF"/><bgColor indexed="64"/></patternFill></fill></fills>' +
      `<borders count="2"><border>${side}<bottom/><diagonal/></border>` +
      `<border>${side}<bottom style="thin"><color rgb="FF9AA3AF"/></bottom><diagonal/></border></borders>` +
      '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
      `<cellXfs count="${cells.length}">${cells.join('')}</cellXfs>` +
      '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>' +
      '</styleSheet>'
    )
  }
}

function xf(attributes: string, content = ''): string {
  const more = ['fontId', 'fillId', 'borderId']
    .filter((name) => !attributes.includes(name))
    .map((name) => ` ${name}="0"`)
  const open =
    `<xf ${attributes}${more.join('')} xfId="0" applyNumberFormat="1"` +
    `${attributes.includes('fontId="1"') ? ' applyFont="1" applyFill="1" applyBorder="1"' : ''}`
  return content === '' ? `${open}/>` : `${open} applyAlignment="1">${content}</xf>`
}
