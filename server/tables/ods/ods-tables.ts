import { cellValue } from './cell-value.ts'
import { Namespaces } from './namespaces.ts'
import { ParagraphText } from './paragraph-text.ts'
import { sheetNotices } from '../sheet/sheet-notices.ts'
import type { SheetRows } from '../sheet/sheet-rows.ts'
import type { XmlEvents } from '../sheet/xml-scanner.ts'
import { xmlAttributes } from '../sheet/xml-text.ts'
import type { SheetDraft } from '../draft/sheet-draft.ts'

export interface OdsSheet {
  readonly hidden: boolean
  readonly draft: SheetDraft
}

/** The sheet being read. */
interface OpenTable {
  readonly hidden: boolean
  /** Null when it is skipped, being one too many. */
  readonly rows: SheetRows | null
  merges: number
  errors: number
  unknown: number
  /** Rows that a repetition claims beyond the last possible one. */
  cut: number
}

const ROW_END = 1_048_576
/** Elements of text within a paragraph; everything else there is a note or a drawing. */
const INLINE = /^text:/

/** Reads the sheets of an OpenDocument content part, one after the other. */
export class OdsTables implements XmlEvents, Disposable {
  /** In file order. */
  readonly found: OdsSheet[] = []
  readonly #open: (name: string) => SheetRows | null
  readonly #names = new Namespaces()
  readonly #nameOf = (given: string): string => this.#names.name(given)
  readonly #hiddenStyles = new Set<string>()
  readonly #paragraphs = new ParagraphText()
  #style: string | null = null
  #table: OpenTable | null = null
  #skipped = 0
  #row = 0
  #rowTimes = 1
  #column = 0
  #cell: Map<string, string> | null = null
  #inParagraph = 0
  #root = true

  /** `open` returns where a sheet's rows go. */
  constructor(open: (name: string) => SheetRows | null) {
    this.#open = open
  }

  open(given: string, raw: string): void {
    if (this.#skipped > 0) {
      this.#skipped++
      return
    }
    if (this.#root) {
      this.#root = false
      this.#names.declare(xmlAttributes(raw))
    }
    const name = this.#names.name(given)
    if (this.#inParagraph > 0) return this.#openInline(name, raw)
    if (this.#cell !== null) {
      if (name === 'text:p' || name === 'text:h') {
        this.#inParagraph = 1
        this.#paragraphs.begin()
      } else this.#skipped = 1
      return
    }
    switch (name) {
      case 'style:style':
        this.#style = this.#attributes(raw).get('style:name') ?? null
        return
      case 'style:table-properties':
        if (this.#style !== null && this.#attributes(raw).get('table:display') === 'false')
          this.#hiddenStyles.add(this.#style)
        return
      case 'table:tracked-changes':
      case 'table:shapes':
      case 'table:named-expressions':
        this.#skipped = 1
        return
      case 'table:table':
        return this.#openTable(this.#attributes(raw))
      case 'table:table-row':
        // There are enough rows: skip the others.
        if (this.#table?.rows?.full === true) {
          this.#skipped = 1
          return
        }
        this.#rowTimes = timesOf(this.#attributes(raw).get('table:number-rows-repeated'))
        this.#column = 0
        return
      case 'table:table-cell':
      case 'table:covered-table-cell':
        if (this.#table === null) return
        this.#cell = this.#attributes(raw)
        this.#paragraphs.clear()
    }
  }

  text(text: string, escaped: boolean): void {
    if (this.#inParagraph > 0 && this.#skipped === 0) this.#paragraphs.add(text, escaped)
  }

  close(given: string): void {
    if (this.#skipped > 0) {
      this.#skipped--
      return
    }
    if (this.#inParagraph > 0) {
      if (--this.#inParagraph === 0) this.#paragraphs.end()
      return
    }
    switch (this.#names.name(given)) {
      case 'table:table-cell':
      case 'table:covered-table-cell':
        return this.#closeCell()
      case 'table:table-row':
        return this.#closeRow()
      case 'table:table':
        return this.#closeTable()
    }
  }

  /** Closes what a broken file left open. */
  [Symbol.dispose](): void {
    this.#table?.rows?.[Symbol.dispose]()
  }

  #openInline(name: string, raw: string): void {
    if (!INLINE.test(name) || name === 'text:note' || name === 'text:ruby-text') {
      this.#skipped = 1
      return
    }
    this.#inParagraph++
    if (name === 'text:s') this.#paragraphs.addExact(' ', Number(this.#attributes(raw).get('text:c') ?? 1) || 1)
    else if (name === 'text:tab') this.#paragraphs.addExact('\t', 1)
    else if (name === 'text:line-break') this.#paragraphs.addExact('\n', 1)
  }

  #openTable(attributes: ReadonlyMap<string, string>): void {
    const name = attributes.get('table:name') || `Sheet${this.found.length + 1}`
    const hidden = this.#hiddenStyles.has(attributes.get('table:style-name') ?? '')
    this.#table = { hidden, rows: this.#open(name), merges: 0, errors: 0, unknown: 0, cut: 0 }
    this.#row = 0
  }

  #closeTable(): void {
    const table = this.#table
    this.#table = null
    if (table !== null && table.rows !== null)
      this.found.push({ hidden: table.hidden, draft: table.rows.finish(sheetNotices(table)) })
  }

  #closeCell(): void {
    const cell = this.#cell
    const table = this.#table
    this.#cell = null
    if (cell === null || table === null) return
    const times = timesOf(cell.get('table:number-columns-repeated'))
    const { text, kind } = cellValue(cell, this.#paragraphs.text)
    const spans =
      (cell.get('table:number-columns-spanned') ?? '1') !== '1' ||
      (cell.get('table:number-rows-spanned') ?? '1') !== '1'
    if (spans) table.merges++
    if (cell.get('calcext:value-type') === 'error') table.errors++
    const { rows } = table
    if (text !== null && text !== '' && rows !== null && !rows.full)
      // An excessive repetition ends at the first cell beyond the limit.
      for (let n = 0; n < times; n++) rows.set(this.#column + n, text, kind)
    else if (text === null && cell.has('table:formula') && !cell.has('office:value-type')) table.unknown++
    this.#column = Math.min(this.#column + times, Number.MAX_SAFE_INTEGER)
  }

  #closeRow(): void {
    const table = this.#table
    if (table?.rows == null || table.rows.full) return
    const times = Math.min(this.#rowTimes, ROW_END - this.#row)
    this.#row += times
    const kept = table.rows.endRow(times)
    if (kept && times < this.#rowTimes) table.cut += this.#rowTimes - times
  }

  #attributes(raw: string): Map<string, string> {
    return xmlAttributes(raw, this.#nameOf)
  }
}

function timesOf(given: string | undefined): number {
  const times = given === undefined ? 1 : Number(given)
  return Number.isSafeInteger(times) && times > 0 ? times : 1
}
