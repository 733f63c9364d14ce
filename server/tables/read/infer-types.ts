import { fitsSql, numberPattern } from '../query/column-sql.ts'
import type { Duck } from '../query/duck.ts'
import type { SheetDraft } from '../draft/sheet-draft.ts'
import { sqlText } from '../shape/sql-text.ts'
import type { Cast, TableColumnType } from '../shape/table-shape.ts'
import { writtenValues, type Written } from './written-values.ts'

export interface InferredColumn {
  readonly type: TableColumnType
  readonly nullable: boolean
  readonly cast: Cast
  /** How its cells are written, if `cast` is that of the values they stand for. */
  readonly written?: Written | undefined
}

const SAMPLE = 2000
/** Columns checked in one pass over the rows. */
const COLUMNS_AT_ONCE = 60
const TEXT: Cast = { kind: 'text' }
const DAY_FIRST_DOT = '%d.%m.%Y'
const SLASH = ['%d/%m/%Y', '%m/%d/%Y'] as const

/**
 * The type of each column of `table`: the narrowest that every single cell fits without loss. A sample proposes, all
 * rows decide; one cell of another kind makes the column text. A column that the file itself declares as `text` gets
 * values only if it is written in an unmistakable way, as amounts and dates are.
 */
export async function inferTypes(duck: Duck, table: string, drafts: SheetDraft['columns']): Promise<InferredColumn[]> {
  const columns = drafts.map((_, i) => i)
  const sample = await duck.rows(`SELECT * FROM ${table} LIMIT ${SAMPLE}`)
  const [total] = (await duck.rows(`SELECT count(*) FROM ${table}`))[0] as [bigint]
  const result = new Map<number, InferredColumn>()
  let open = columns.map((i) => {
    const cells = sample.map((row) => row[i] as string | null)
    const { text, typed = false } = drafts[i]!
    const written = typed ? [] : writtenValues(cells.filter((cell) => cell !== null))
    return { i, ways: [...(text ? [] : proposals(cells)).map((cast): Way => ({ cast })), ...written.map(asWay)] }
  })
  while (open.length > 0) {
    const next: typeof open = []
    for (let from = 0; from < open.length; from += COLUMNS_AT_ONCE) {
      const group = open.slice(from, from + COLUMNS_AT_ONCE)
      const facts = await check(duck, table, group)
      for (const [n, { i, ways }] of group.entries()) {
        const { filled, fitting, deciding, places, digits } = facts[n]!
        const [way, ...others] = ways
        const nullable = filled < total
        if (way === undefined || filled === 0n) result.set(i, { type: 'text', nullable, cast: TEXT })
        else if (fitting === filled && deciding > 0n) {
          const scaled = withScale(way.cast, places, digits)
          const whole = way.written?.whole === true && scaled.kind === 'number' && scaled.scale === 0
          const cast: Cast = whole ? { kind: 'integer', wide: false } : scaled
          result.set(i, { ...way, type: cast.kind, nullable, cast })
        } else next.push({ i, ways: others })
      }
    }
    open = next
  }
  return columns.map((i) => result.get(i)!)
}

interface Way {
  readonly cast: Cast
  readonly written?: Written
}

interface Facts {
  readonly filled: bigint
  readonly fitting: bigint
  /** Cells that rule out another way to read the column. */
  readonly deciding: bigint
  /** The most digits after and before the decimal point. */
  readonly places: number
  readonly digits: number
}

async function check(
  duck: Duck,
  table: string,
  group: readonly { i: number; ways: readonly Way[] }[],
): Promise<Facts[]> {
  const parts = group.flatMap(({ i, ways: [{ cast, written } = { cast: TEXT }] }) => {
    const column = `c${i}`
    const value = written?.value(column) ?? column
    const point = `strpos(${value}, ${cast.kind === 'number' && cast.comma ? "','" : "'.'"})`
    const digits = cast.kind === 'number'
    const fits = written === undefined ? fitsSql(column, cast) : writtenFits(column, written)
    return [
      `count(${column})`,
      cast.kind === 'text' ? '0' : `count(*) FILTER (WHERE ${fits})`,
      written === undefined ? '1' : `count(*) FILTER (WHERE ${writtenDecides(column, written)})`,
      digits ? `max(CASE WHEN ${point} > 0 THEN length(${value}) - ${point} ELSE 0 END)` : '0',
      digits ? `max(CASE WHEN ${point} > 0 THEN ${point} - 1 ELSE length(${value}) END)` : '0',
    ]
  })
  const [row = []] = await duck.rows(`SELECT ${parts.join(', ')} FROM ${table}`)
  return group.map((_, n) => ({
    filled: BigInt(row[5 * n] as bigint),
    fitting: BigInt(row[5 * n + 1] as bigint),
    deciding: BigInt(row[5 * n + 2] as bigint),
    places: Number(row[5 * n + 3] ?? 0),
    digits: Number(row[5 * n + 4] ?? 0),
  }))
}

function writtenFits(column: string, { pattern, value }: Written): string {
  return `regexp_full_match(${column}, ${sqlText(pattern)}) AND ${value(column)} IS NOT NULL`
}

function writtenDecides(column: string, { decides, unless }: Written): string {
  const is = decides === null ? `${column} IS NOT NULL` : `regexp_full_match(${column}, ${sqlText(decides)})`
  return unless === null ? is : `${is} AND NOT regexp_full_match(${column}, ${sqlText(unless)})`
}

function asWay(written: Written): Way {
  return { cast: written.cast, written }
}

/** Fixed decimals add up exactly; anything with too many digits is floating. */
function withScale(cast: Cast, places: number, digits: number): Cast {
  if (cast.kind !== 'number' || cast.scale === null) return cast
  return places + digits <= 18 ? { ...cast, scale: places } : { ...cast, scale: null }
}

const INTEGER = /^-?(0|[1-9]\d*)$/
const DECIMAL = new RegExp(`^${numberPattern(false, false)}$`)
const FLOATING = new RegExp(`^${numberPattern(false, true)}$`)
const COMMA = new RegExp(`^${numberPattern(true, false)}$`)
const ISO_DATE = /^\d{4}[-/]\d{2}[-/]\d{2}$/
const ISO_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/
const ZONED = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)$/
const DOT_DATE = /^\d{2}\.\d{2}\.\d{4}$/
const SLASH_DATE = /^\d{2}\/\d{2}\/\d{4}$/

/** The possible types of the column, narrowest first. */
function proposals(sample: readonly (string | null)[]): Cast[] {
  const filled = sample.filter((cell): cell is string => cell !== null)
  const all = (pattern: RegExp): boolean => filled.every((cell) => pattern.test(cell))
  if (filled.length === 0) return everything()
  const casts: Cast[] = []
  if (all(INTEGER)) casts.push({ kind: 'integer', wide: false }, { kind: 'integer', wide: true })
  if (all(DECIMAL)) casts.push({ kind: 'number', scale: 0, comma: false })
  if (all(FLOATING)) casts.push({ kind: 'number', scale: null, comma: false })
  // `1,234` may be a thousand: the comma is a decimal point only where it cannot be anything else.
  if (all(COMMA) && filled.some((cell) => /,(\d{1,2}|\d{4,})$/.test(cell)))
    casts.push({ kind: 'number', scale: 0, comma: true })
  if (all(/^(true|false)$/i)) casts.push({ kind: 'boolean' })
  if (all(ISO_DATE)) casts.push({ kind: 'date', format: null })
  if (all(DOT_DATE)) casts.push({ kind: 'date', format: DAY_FIRST_DOT })
  if (all(SLASH_DATE)) casts.push(...slashDates(filled))
  if (all(ISO_TIME)) casts.push({ kind: 'datetime', format: null, zoned: false })
  if (all(ZONED)) casts.push({ kind: 'datetime', format: null, zoned: true })
  return casts
}

/** The first rows are empty, so anything may follow. */
function everything(): Cast[] {
  return [
    { kind: 'integer', wide: false },
    { kind: 'integer', wide: true },
    { kind: 'number', scale: 0, comma: false },
    { kind: 'boolean' },
    { kind: 'date', format: null },
  ]
}

/** Day first or month first, only if a day beyond 12 decides it. */
function slashDates(filled: readonly string[]): Cast[] {
  const beyond = (from: number): boolean => filled.some((cell) => Number(cell.slice(from, from + 2)) > 12)
  if (beyond(0) === beyond(3)) return []
  return [{ kind: 'date', format: beyond(0) ? SLASH[0] : SLASH[1] }]
}
