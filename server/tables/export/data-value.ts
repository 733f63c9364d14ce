import { cellOf, numberText } from '../shape/cell.ts'
import type { TableCell } from '../shape/table-shape.ts'
import type { ExportColumn } from '../shape/export-plan.ts'

/** A cell of an exported row as a JSON value: a number if a double holds it exactly, dates and times in ISO 8601. */
export function jsonValue({ type, cast }: ExportColumn): (cell: unknown) => TableCell {
  if (cast !== null) return (cell) => cellOf(cell as string | null, cast)
  const day = type === 'date'
  if (day || type === 'datetime')
    return (cell) => {
      if (typeof cell !== 'number') return plain(cell)
      const time = new Date(cell)
      return Number.isNaN(time.getTime()) ? cell : time.toISOString().slice(0, day ? 10 : undefined)
    }
  return plain
}

/**
 * A cell as the text of its value, and whether it is text that a person wrote: only such text could be taken for a
 * formula.
 */
export function textValue(column: ExportColumn): (cell: unknown) => { text: string; written: boolean } | null {
  const { cast, type } = column
  const value = jsonValue(column)
  return (cell) => {
    if (cell === null || cell === undefined) return null
    // With all the digits of the file, more than a double may hold.
    if (cast?.kind === 'number' || cast?.kind === 'integer')
      return { text: numberText(cell as string, cast), written: false }
    const found = value(cell)
    if (found === null) return null
    if (typeof found === 'number' && type === 'duration') return { text: clock(found), written: false }
    const written = typeof found === 'string' && (cast === null || cast.kind === 'text')
    return { text: String(found), written }
  }
}

function plain(cell: unknown): TableCell {
  if (cell === null || cell === undefined) return null
  if (typeof cell === 'string' || typeof cell === 'boolean' || typeof cell === 'number') return cell
  return JSON.stringify(cell) ?? null
}

/** Milliseconds as hours, minutes and seconds, with a fraction of a second if there is one. */
function clock(ms: number): string {
  if (!Number.isFinite(ms)) return String(ms)
  const whole = Math.abs(Math.round(ms))
  const seconds = Math.floor(whole / 1000)
  const two = (n: number): string => String(n).padStart(2, '0')
  const parts = whole % 1000 === 0 ? '' : `.${String(whole % 1000).padStart(3, '0')}`
  return `${ms < 0 ? '-' : ''}${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${parts}`
}
