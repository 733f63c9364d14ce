import type { ChartKind } from '../../../contract/chart-suggestion.ts'
import { say } from '../../kernel/sentence.ts'
import { cellOf } from '../shape/cell.ts'
import { findColumn } from '../shape/find-column.ts'
import { TableError } from '../shape/table-error.ts'
import type { ChartJob, ChartRows } from '../shape/table-job.ts'
import type { PreparedColumn, TableCell } from '../shape/table-shape.ts'
import { attach } from './attach.ts'
import { typedSql } from './column-sql.ts'
import { openDuck, type Duck } from './duck.ts'
import { engineFailure } from './engine-failure.ts'
import { viewSql } from './view-sql.ts'

const THREADS = 2
const MEMORY = 512
/** Points that are drawn as they are, and stretches of the axis of which the lowest and highest are drawn otherwise. */
const ALL = 2000
const STRETCHES = 320
/** Columns of spots in a scatter chart, and spots of all its series together. */
const SPOT_COLUMNS = 80
const SPOTS = 2400
/** Names of bars and slices: more than a chart shows, as the page puts equal ones together. */
const BARS = 60
const SLICES = 9
/** Characters of a name that are sent. */
const NAME = 300

/**
 * What a chart of all rows of a view draws. The engine goes through all of them; what comes out is bounded, and keeps
 * every peak. @throws {TableError} bad_view, failed
 */
export async function readChart(job: ChartJob): Promise<ChartRows> {
  const { sheet, chart } = job
  const x = findColumn(sheet.columns, chart.x)
  const y = chart.y.map((key) => findColumn(sheet.columns, key))
  const { where, order } = viewSql(sheet.columns, job.view, job.language)
  const measured = isMeasured(x) && chart.kind !== 'bar' && chart.kind !== 'pie'
  if (chart.kind === 'scatter' && !measured)
    throw new TableError('bad_view', say`The column "${x.key}" holds neither numbers nor times.`)
  using duck = await openDuck({ threads: THREADS, memory: MEMORY, scratch: job.scratch })
  try {
    await attach(duck, sheet.file, 'data')
    await duck.lock([], [job.scratch])
    const table = `data.t${sheet.index}`
    const from = { rows: where === null ? table : `${table} WHERE ${where}`, order, place: placeIn(sheet.columns) }
    const points = measured ? pointsSql(x, y, from) : namesSql(x, y, from)
    const nameOf = (name: string | null): TableCell =>
      !measured && x.type === 'datetime' ? name : cellOf(name, x.cast)
    return { ...(await drawn(duck, { kind: chart.kind, points, x, y, nameOf })), summed: !measured }
  } catch (error) {
    throw error instanceof TableError ? error : engineFailure(error, say`The table cannot be drawn like this`, 'failed')
  }
}

function isMeasured({ type }: PreparedColumn): boolean {
  return type === 'integer' || type === 'number' || type === 'date' || type === 'datetime'
}

interface From {
  /** What follows FROM. */
  readonly rows: string
  readonly order: string | null
  place(column: PreparedColumn): number
}

function placeIn(columns: readonly PreparedColumn[]): From['place'] {
  return (column) => columns.indexOf(column)
}

/** Points as `name` (the cell of x), `pos` (its value) and `y0`, `y1`, …: those rows that have both. */
function pointsSql(x: PreparedColumn, y: readonly PreparedColumn[], { rows, place }: From): string {
  const text = `c${place(x)}`
  const value = typedSql(text, x.cast)
  const time = x.type === 'date' || x.type === 'datetime'
  const pos = time ? `CAST(epoch_ms(TRY_CAST(${value} AS TIMESTAMP)) AS DOUBLE)` : finite(value)
  const values = y.map((column, i) => `${finite(typedSql(`c${place(column)}`, column.cast))} AS y${i}`)
  return (
    `SELECT * FROM (SELECT ${text} AS name, ${pos} AS pos, ${values.join(', ')}, rowid AS place FROM ${rows}) ` +
    `WHERE pos IS NOT NULL AND coalesce(${y.map((_, i) => `y${i}`).join(', ')}) IS NOT NULL`
  )
}

/** The same with the sums of each name, `pos` being its place among them. */
function namesSql(x: PreparedColumn, y: readonly PreparedColumn[], { rows, order, place }: From): string {
  const text = nameSql(x, `c${place(x)}`)
  const sums = y.map((column, i) => `coalesce(sum(${finite(typedSql(`c${place(column)}`, column.cast))}), 0) AS y${i}`)
  // In the order of the view, as its rows are.
  const first = order === null ? 'rowid' : `row_number() OVER (ORDER BY ${order})`
  return (
    `SELECT *, CAST(row_number() OVER (ORDER BY place) AS DOUBLE) AS pos FROM ` +
    `(SELECT ${text} AS name, ${sums.join(', ')}, min(place) AS place FROM (SELECT *, ${first} AS place FROM ${rows}) GROUP BY name)`
  )
}

/** Times by the minute, as they are shown. */
function nameSql({ type, cast }: PreparedColumn, text: string): string {
  if (type !== 'datetime') return text
  const zone = cast.kind === 'datetime' && cast.zoned ? 'Z' : ''
  return `coalesce(strftime(${typedSql(text, cast)}, '%Y-%m-%dT%H:%M${zone}'), ${text})`
}

function finite(value: string): string {
  // What is no number is nothing to draw.
  const number = `TRY_CAST(${value} AS DOUBLE)`
  return `CASE WHEN isfinite(${number}) THEN ${number} END`
}

interface Drawing {
  readonly kind: ChartKind
  readonly points: string
  readonly x: PreparedColumn
  readonly y: readonly PreparedColumn[]
  nameOf(name: string | null): TableCell
}

async function drawn(duck: Duck, { kind, points, x, y, nameOf }: Drawing): Promise<Pick<ChartRows, 'rows' | 'total'>> {
  const values = y.map((_, i) => `y${i}`)
  const select = (rest: string): Promise<unknown[][]> =>
    duck.rows(`WITH points AS (${points}) SELECT left(name, ${NAME}), ${values.join(', ')} FROM points ${rest}`)
  const [[count, from, to] = [0n, null, null]] = await duck.rows(
    `WITH points AS (${points}) SELECT count(*), min(pos), max(pos) FROM points`,
  )
  const total = Number(count)
  const shown = (rows: readonly unknown[][]): Pick<ChartRows, 'rows' | 'total'> => ({
    rows: rows.map(([name, ...numbers]) => ({
      ...Object.fromEntries(y.map(({ key }, i) => [key, numbers[i] as TableCell])),
      [x.key]: nameOf(name as string | null),
    })),
    total,
  })
  const limit = kind === 'pie' ? SLICES : kind === 'bar' ? BARS : ALL
  if (total <= limit) return shown(await select('ORDER BY pos, place'))
  if (kind === 'bar' || kind === 'pie') return shown(await select(`ORDER BY y0 DESC, pos LIMIT ${limit}`))
  const [low, high] = [Number(from), Number(to)]
  const kept = values.map((value) =>
    kind === 'scatter'
      ? spotsOf(value, stretch('pos', low, high, SPOT_COLUMNS), Math.floor(SPOTS / SPOT_COLUMNS / y.length))
      : peaksOf(value, stretch('pos', low, high, STRETCHES)),
  )
  // Where most of them lie close together, so many that it can be seen.
  if (kind === 'scatter')
    kept.push(
      `SELECT place FROM (SELECT place, row_number() OVER () AS n FROM points) WHERE n % ${Math.ceil(total / ALL)} = 0`,
    )
  // The ends, so that a line is as long as its axis.
  kept.push('SELECT unnest([arg_min(place, pos), arg_max(place, pos)]) AS place FROM points')
  return shown(await select(`WHERE place IN (${kept.join(' UNION ')}) ORDER BY pos, place`))
}

/** The number of the stretch, of so many, that a value is in. */
function stretch(value: string, from: number | string, to: number | string, count: number): string {
  return `CASE WHEN ${to} > ${from} THEN least(${count - 1}, floor((${value} - ${from}) / (${to} - ${from}) * ${count})) ELSE 0 END`
}

function peaksOf(value: string, stretchSql: string): string {
  const peaks = `[arg_min(place, ${value}), arg_max(place, ${value})]`
  return `SELECT unnest(${peaks}) AS place FROM points WHERE ${value} IS NOT NULL GROUP BY ${stretchSql}`
}

function spotsOf(value: string, columnSql: string, lines: number): string {
  const all = `(SELECT min(${value}) FROM points)`
  const line = stretch(value, all, `(SELECT max(${value}) FROM points)`, lines)
  return `SELECT min(place) AS place FROM (SELECT place, ${columnSql} AS col, ${line} AS line FROM points WHERE ${value} IS NOT NULL) GROUP BY col, line`
}
