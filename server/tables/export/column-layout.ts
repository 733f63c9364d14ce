import { say, type Sentence } from '../../kernel/sentence.ts'
import { cut } from '../../kernel/text/plain-text.ts'
import { formatOfType, parseFormat, type CellFormat } from './cell-format.ts'
import type { ExportColumn, ExportPlan, ExportRow, ExportType } from '../shape/export-plan.ts'
import type { SheetColumn } from './sheet-xml.ts'

export interface ColumnLayout {
  readonly sheet: readonly SheetColumn[]
  readonly formats: readonly CellFormat[]
  /** About requests that could not be met, and what a reader of the file would otherwise miss. */
  readonly notices: readonly Sentence[]
}

const LABEL = 1000
const NARROW = 8
const WIDE = 60
const WIDEST = 255
/** Room for the filter arrow. */
const ARROW = 3
const USUAL: Partial<Record<ExportType, number>> = { date: 11, datetime: 19, duration: 10, bytes: 11, percent: 9 }

/** Labels, formats and widths of the columns: as requested, else derived from their types and the first rows. */
export function layOut({ columns, presentation }: ExportPlan, sample: readonly ExportRow[]): ColumnLayout {
  const notices: Sentence[] = []
  const wishes = new Map(Object.entries(presentation))
  const formats = columns.map(({ key, type, cast }): CellFormat => {
    const wish = wishes.get(key)?.format
    const format = wish === undefined ? null : parseFormat(wish)
    if (wish !== undefined && format === null)
      notices.push(say`The format "${wish.slice(0, 40)}" of the column "${key}" is not known, so it was not used.`)
    return format ?? formatOfType(type, cast?.kind === 'number' ? cast.scale : null)
  })
  const sheet = columns.map(({ key, label, type }, i): SheetColumn => {
    const wish = wishes.get(key)
    const shown = shownLabel({ key, label }, presentation)
    const needed = Math.max(displayed(shown) + ARROW, USUAL[type] ?? 0, ...sample.map((row) => displayed(row[i])))
    const width = wish?.width === undefined ? Math.max(Math.min(needed + 1, WIDE), NARROW) : wish.width
    return {
      label: shown,
      width: Math.round(Math.min(Math.max(width, 1), WIDEST) * 100) / 100,
      hidden: wish?.hidden === true,
    }
  })
  const hidden = sheet.filter((column) => column.hidden).map(({ label }) => `"${label}"`)
  if (hidden.length > 0) notices.push(say`Hidden, but in the file: ${hidden.join(', ')}.`)
  const zoned = columns.filter(({ cast }) => cast?.kind === 'datetime' && cast.zoned).map(({ label }) => `"${label}"`)
  if (zoned.length > 0) notices.push(say`Columns with times in UTC: ${zoned.join(', ')}.`)
  return { sheet, formats, notices }
}

/** The header of a column: the requested label, or its own. */
export function shownLabel(
  { key, label }: Pick<ExportColumn, 'key' | 'label'>,
  presentation: ExportPlan['presentation'],
): string {
  const wish = Object.hasOwn(presentation, key) ? presentation[key] : undefined
  return cut(wish?.label?.trim() || label, LABEL)
}

/** The width of a value on screen, in characters: wide ones count twice, and only the longest line counts. */
function displayed(value: unknown): number {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return 0
  let longest = 0
  for (const line of String(value).slice(0, 2000).split('\n')) {
    const wide =
      line.match(/[\u1100-\u115f\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/g)?.length ?? 0
    longest = Math.max(longest, line.length + wide)
  }
  return longest
}
