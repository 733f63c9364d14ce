import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'
import { builtInFormat, formatOf, type NumberFormat } from '../xlsx/number-format.ts'
import { eachRecord } from './record-reader.ts'

const BOF = 0x809
const EOF = 0x0a
const CODE = { date1904: 0x22, password: 0x2f, sheet: 0x85, style: 0xe0, strings: 0xfc, format: 0x41e } as const
const BIFF8 = 0x600

export interface XlsSheet {
  readonly name: string
  readonly hidden: boolean
  /** Offset of its first record in the stream. */
  readonly start: number
}
export interface XlsWorkbook {
  readonly sheets: readonly XlsSheet[]
  readonly strings: readonly string[]
  /** Per cell style, by its number. */
  readonly formats: readonly NumberFormat[]
  readonly from1904: boolean
}

/**
 * What applies to the whole workbook: its sheets, texts, formats and calendar. @throws {TableError} unreadable,
 * unsupported
 */
export function readGlobals(stream: Buffer): XlsWorkbook {
  const sheets: XlsSheet[] = []
  const strings: string[] = []
  const codes = new Map<number, NumberFormat>()
  const styles: number[] = []
  let from1904 = false
  let first = true
  eachRecord(stream, 0, (id, record) => {
    if (first) {
      if (id !== BOF || record().u16() !== BIFF8)
        throw new TableError('unsupported', say`This workbook is older than Excel 97. Save it as XLSX and try again.`)
      first = false
      return false
    }
    switch (id) {
      case EOF:
        return true
      case CODE.password:
        throw new TableError(
          'unreadable',
          say`This workbook is protected by a password. Save it without one and try again.`,
        )
      case CODE.date1904:
        from1904 = record().u16() === 1
        break
      case CODE.format: {
        const reader = record()
        codes.set(reader.u16(), formatOf(reader.richText()))
        break
      }
      case CODE.style:
        styles.push(record().bytes(4).readUInt16LE(2))
        break
      case CODE.sheet: {
        const reader = record()
        const start = reader.u32()
        const hidden = (reader.u8() & 3) !== 0
        // Macros, charts and dialogs aren't tables.
        if (reader.u8() === 0) sheets.push({ name: reader.characters(reader.u8()), hidden, start })
        break
      }
      case CODE.strings: {
        const reader = record()
        reader.skip(4)
        const count = reader.u32()
        for (let n = 0; n < count && !reader.atEnd; n++) strings.push(reader.richText())
      }
    }
    return false
  })
  return { sheets, strings, formats: styles.map((code) => codes.get(code) ?? builtInFormat(code)), from1904 }
}
