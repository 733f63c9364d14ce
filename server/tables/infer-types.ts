import { fitsSql, numberPattern } from './column-sql.ts'
import type { Duck } from './duck.ts'
import type { Cast, TableColumnType } from './table-shape.ts'

export interface InferredColumn {
  readonly type: TableColumnType
  readonly nullable: boolean
  readonly cast: Cast
}

const SAMPLE = 2000
/** Columns that are checked in one pass over the rows. */
const COLUMNS_AT_ONCE = 60
const TEXT: Cast = { kind: 'text' }
const DAY_FIRST_DOT = '%d.%m.%Y'
const SLASH = ['%d/%m/%Y', '%m/%d/%Y'] as const

/**
 * The type of each column of `table`: the narrowest that every single cell fits, with nothing lost. A sample proposes, all rows decide;
 * one cell of another kind makes the column text.
 */
export async function inferTypes(
  duck: Duck,
  table: string,
  width: number,
  text: readonly boolean[],
): Promise<InferredColumn[]> {
  const columns = Array.from({ length: width }, (_, i) => i)
  const sample = await duck.rows(`SELECT * FROM ${table} LIMIT ${SAMPLE}`)
  const [total] = (await duck.rows(`SELECT count(*) FROM ${table}`))[0] as [bigint]
  const result = new Map<number, InferredColumn>()
  let open = columns.map((i) => ({ i, casts: text[i] ? [] : proposals(sample.map((row) => row[i] as string | null)) }))
  while (open.length > 0) {
    const next: typeof open = []
    for (let from = 0; from < open.length; from += COLUMNS_AT_ONCE) {
      const group = open.slice(from, from + COLUMNS_AT_ONCE)
      const facts = await check(duck, table, group)
      for (const [n, { i, casts }] of group.entries()) {
        const { filled, fitting, places, digits } = facts[n]!
        const [cast, ...others] = casts
        const nullable = filled < total
        if (cast === undefined || filled === 0n) result.set(i, { type: 'text', nullable, cast: TEXT })
        else if (fitting === filled) result.set(i, { type: cast.kind, nullable, cast: withScale(cast, places, digits) })
        else next.push({ i, casts: others })
      }
    }
    open = next
  }
  return columns.map((i) => result.get(i)!)
}

interface Facts {
  readonly filled: bigint
  readonly fitting: bigint
  /** Most digits after and before the point. */
  readonly places: number
  readonly digits: number
}

async function check(
  duck: Duck,
  table: string,
  group: readonly { i: number; casts: readonly Cast[] }[],
): Promise<Facts[]> {
  const parts = group.flatMap(({ i, casts: [cast = TEXT] }) => {
    const column = `c${i}`
    const point = `strpos(${column}, ${cast.kind === 'number' && cast.comma ? "','" : "'.'"})`
    const digits = cast.kind === 'number'
    return [
      `count(${column})`,
      cast.kind === 'text' ? '0' : `count(*) FILTER (WHERE ${fitsSql(column, cast)})`,
      digits ? `max(CASE WHEN ${point} > 0 THEN length(${column}) - ${point} ELSE 0 END)` : '0',
      digits ? `max(CASE WHEN ${point} > 0 THEN ${point} - 1 ELSE length(${column}) END)` : '0',
    ]
  })
  const [row = []] = await duck.rows(`SELECT ${parts.join(', ')} FROM ${table}`)
  return group.map((_, n) => ({
    filled: BigInt(row[4 * n] as bigint),
    fitting: BigInt(row[4 * n + 1] as bigint),
    places: Number(row[4 * n + 2] ?? 0),
    digits: Number(row[4 * n + 3] ?? 0),
  }))
}

/** Fixed decimals add up exactly; what has too many digits is floating. */
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

/** What the column may be, narrowest first. */
function proposals(sample: readonly (string | null)[]): Cast[] {
  const filled = sample.filter((cell): cell is string => cell !== null)
  const all = (pattern: RegExp): boolean => filled.every((cell) => pattern.test(cell))
  if (filled.length === 0) return everything()
  const casts: Cast[] = []
  if (all(INTEGER)) casts.push({ kind: 'integer', wide: false }, { kind: 'integer', wide: true })
  if (all(DECIMAL)) casts.push({ kind: 'number', scale: 0, comma: false })
  if (all(FLOATING)) casts.push({ kind: 'number', scale: null, comma: false })
  // `1,234` may be a thousand: the comma is a point only where it cannot be anything else.
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

/** Day first or month first, only where a day beyond 12 says which. */
function slashDates(filled: readonly string[]): Cast[] {
  const beyond = (from: number): boolean => filled.some((cell) => Number(cell.slice(from, from + 2)) > 12)
  if (beyond(0) === beyond(3)) return []
  return [{ kind: 'date', format: beyond(0) ? SLASH[0] : SLASH[1] }]
}
