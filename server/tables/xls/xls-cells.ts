import { CELL } from '../sheet/cell-kind.ts'
import { numberText } from '../sheet/number-text.ts'
import { serialDate } from '../xlsx/serial-date.ts'
import type { CellTaker } from '../xlsx/sheet-cells.ts'
import { eachRecord, type RecordReader } from './record-reader.ts'
import type { XlsWorkbook } from './workbook-globals.ts'

const BOF = 0x809
const EOF = 0x0a
const CODE = {
  formula: 0x06,
  // Record numbers of older versions, which Apple Numbers writes.
  formula3: 0x206,
  formula4: 0x406,
  numbers: 0xbd,
  richLabel: 0xd6,
  merges: 0xe5,
  sharedLabel: 0xfd,
  number: 0x203,
  label: 0x204,
  flag: 0x205,
  formulaText: 0x207,
  shortNumber: 0x27e,
} as const
const CELLS: ReadonlySet<number> = new Set([
  CODE.formula,
  CODE.formula3,
  CODE.formula4,
  CODE.numbers,
  CODE.richLabel,
  CODE.sharedLabel,
  CODE.number,
  CODE.label,
  CODE.flag,
  CODE.shortNumber,
])
const ERRORS: Readonly<Record<number, string>> = {
  0: '#NULL!',
  7: '#DIV/0!',
  15: '#VALUE!',
  23: '#REF!',
  29: '#NAME?',
  36: '#NUM!',
  42: '#N/A',
}

export interface XlsCounts {
  readonly merges: number
  readonly errors: number
  readonly missing: number
}

/** Reads the cells of one sheet, row by row, until `taker` is full. @throws {TableError} unreadable */
export function readXlsCells(
  stream: Buffer,
  start: number,
  { strings, formats, from1904 }: XlsWorkbook,
  taker: CellTaker & { readonly full: boolean },
): XlsCounts {
  const { places, merges } = cellPlaces(stream, start)
  const counts = { merges, errors: 0, missing: 0 }

  const setNumber = (column: number, style: number, value: number): void => {
    const format = formats[style] ?? 'number'
    const date = format === 'number' ? null : serialDate(value, format, from1904)
    if (date !== null) taker.set(column, date.text, date.kind)
    else taker.set(column, numberText(String(value)), CELL.number)
  }
  const setFlag = (column: number, value: number, isError: boolean): void => {
    if (isError) {
      counts.errors++
      taker.set(column, ERRORS[value] ?? '#ERROR!', CELL.error)
    } else taker.set(column, value === 0 ? 'false' : 'true', CELL.boolean)
  }
  const setFormula = (reader: RecordReader, column: number, style: number, place: number): void => {
    const result = reader.bytes(8)
    if (result.readUInt16LE(6) !== 0xffff) return setNumber(column, style, result.readDoubleLE(0))
    const [kind, , value] = result
    if (kind === 0) taker.set(column, formulaText(stream, place), CELL.text)
    else if (kind === 1 || kind === 2) setFlag(column, value!, kind === 2)
  }
  const setCell = (id: number, reader: RecordReader, place: number): void => {
    reader.skip(2)
    const column = reader.u16()
    if (id === CODE.numbers) {
      // A style and a number for each, and the last column at the end.
      for (let at = column; ; at++) {
        const style = reader.u16()
        if (reader.atEnd) return
        setNumber(at, style, shortNumber(reader.u32()))
      }
    }
    const style = reader.u16()
    switch (id) {
      case CODE.sharedLabel: {
        const text = strings[reader.u32()]
        if (text === undefined) counts.missing++
        return taker.set(column, text ?? null, CELL.text)
      }
      case CODE.label:
      case CODE.richLabel:
        return taker.set(column, reader.characters(reader.u16()), CELL.text)
      case CODE.number:
        return setNumber(column, style, reader.bytes(8).readDoubleLE(0))
      case CODE.shortNumber:
        return setNumber(column, style, shortNumber(reader.u32()))
      case CODE.flag: {
        const value = reader.u8()
        return setFlag(column, value, reader.u8() === 1)
      }
      case CODE.formula:
      case CODE.formula3:
      case CODE.formula4:
        return setFormula(reader, column, style, place)
    }
  }

  let row = 0
  for (const place of places) {
    const next = rowAt(stream, place)
    if (next > row) taker.endRow()
    if (next > row + 1) taker.endRow(next - row - 1)
    row = next
    if (taker.full) break
    eachRecord(stream, place, (id, record) => {
      setCell(id, record(), place)
      return true
    })
  }
  if (!taker.full) taker.endRow()
  return counts
}

/**
 * Where the cell records begin, row by row. Most programs write them in this order; some, in the order in which cells
 * were filled.
 */
function cellPlaces(stream: Buffer, start: number): { places: number[]; merges: number } {
  const places: number[] = []
  let merges = 0
  let depth = 0
  let last = 0
  let sorted = true
  eachRecord(stream, start, (id, record, place) => {
    // A chart in a sheet is nested inside it, with cells of its own.
    if (id === BOF) depth++
    else if (id === EOF) return --depth <= 0
    else if (depth !== 1) return false
    else if (id === CODE.merges) merges += record().u16()
    else if (CELLS.has(id) && place + 6 <= stream.length) {
      const row = rowAt(stream, place)
      sorted &&= row >= last
      last = row
      places.push(place)
    }
    return false
  })
  return { places: sorted ? places : places.sort((a, b) => rowAt(stream, a) - rowAt(stream, b)), merges }
}

function rowAt(stream: Buffer, place: number): number {
  return stream.readUInt16LE(place + 4)
}

/** The text result of a formula. It follows the formula, perhaps after data shared with others. */
function formulaText(stream: Buffer, place: number): string | null {
  let text: string | null = null
  let first = true
  eachRecord(stream, place, (id, record) => {
    if (id === CODE.formulaText) {
      const reader = record()
      text = reader.characters(reader.u16())
      return true
    }
    const over = !first && (CELLS.has(id) || id === EOF)
    first = false
    return over
  })
  return text
}

/** 30 bits: an integer or the upper part of a double, either possibly in hundredths. */
function shortNumber(bits: number): number {
  const double = Buffer.alloc(8)
  double.writeUInt32LE((bits & ~3) >>> 0, 4)
  const value = (bits & 2) !== 0 ? bits >> 2 : double.readDoubleLE(0)
  return (bits & 1) !== 0 ? value / 100 : value
}
