export const CHART_KINDS = ['line', 'bar', 'area', 'scatter', 'pie'] as const
export type ChartKind = (typeof CHART_KINDS)[number]

/** With more lines or bars than this, a chart says nothing. */
export const CHART_SERIES_LIMIT = 6

export interface ChartColumn {
  readonly key: string
  readonly label: string
  /** A type of a table's column: `integer`, `date`, `text` … */
  readonly type: string
}

/**
 * What a chart shows, by keys of columns: one along the x axis (or as the slices of a pie), one or more as lines, bars
 * or points.
 */
export interface ChartSuggestion {
  readonly kind: ChartKind
  readonly x: string
  readonly y: readonly string[]
}

type Row = Readonly<Record<string, unknown>>

const NUMBERS = ['integer', 'number', 'percent', 'bytes', 'duration']
const MOST_ROWS = 1000
const MOST_SERIES = 4
const MOST_BARS = 60
const MOST_SLICES = 8
const FEWEST_POINTS = 5
/** Names of numbers that don't count or measure anything. */
const LABEL_NUMBER =
  /(^|[^a-z])(id|uid|gid|pid|ppid|no|nr|num|code|zip|plz|port|phone|index|key|lat|lon|lng)$|[a-z]Id$/i
const YEAR = /(^|[^a-z])(year|jahr|año|ano|annee|année|год|рік|年)$/i

/**
 * Charts that suit a table, best first; none when nothing in it can be drawn. Only uses the names and types of the
 * columns and the first 1,000 rows.
 */
export function suggestCharts(columns: readonly ChartColumn[], rows: readonly Row[]): ChartSuggestion[] {
  const sample = rows.slice(0, MOST_ROWS)
  if (sample.length < 2) return []
  const numbers = columns.filter((column) => isMeasure(column, sample))
  const [time] = columns.filter((column) => isTime(column, sample))
  const category = columns.find((column) => isCategory(column, sample))
  return [
    ...(time === undefined ? [] : overTime(time, numbers, sample)),
    ...(category === undefined ? [] : byCategory(category, numbers, sample)),
    ...againstEachOther(numbers, sample),
  ]
}

function overTime(time: ChartColumn, numbers: readonly ChartColumn[], rows: readonly Row[]): ChartSuggestion[] {
  const series = alike(
    numbers.filter(({ key }) => key !== time.key),
    rows,
  )
  if (series.length === 0) return []
  const y = series.map(({ key }) => key)
  const bars: ChartSuggestion[] = rows.length <= MOST_BARS ? [{ kind: 'bar', x: time.key, y }] : []
  const areas: ChartSuggestion[] = y.every((key) => valuesOf(rows, key).every((value) => value >= 0))
    ? [{ kind: 'area', x: time.key, y }]
    : []
  return [{ kind: 'line', x: time.key, y }, ...areas, ...bars]
}

function byCategory(category: ChartColumn, numbers: readonly ChartColumn[], rows: readonly Row[]): ChartSuggestion[] {
  const series = alike(numbers, rows)
  const [first] = series
  if (first === undefined || rows.length > MOST_BARS) return []
  const values = valuesOf(rows, first.key)
  const slices =
    rows.length <= MOST_SLICES && values.every((value) => value >= 0) && values.some((value) => value > 0)
      ? [{ kind: 'pie', x: category.key, y: [first.key] } as const]
      : []
  return [{ kind: 'bar', x: category.key, y: series.map(({ key }) => key) }, ...slices]
}

function againstEachOther(numbers: readonly ChartColumn[], rows: readonly Row[]): ChartSuggestion[] {
  const [x, y] = numbers
  return x === undefined || y === undefined || rows.length < FEWEST_POINTS
    ? []
    : [{ kind: 'scatter', x: x.key, y: [y.key] }]
}

function isMeasure({ key, label, type }: ChartColumn, rows: readonly Row[]): boolean {
  if (!NUMBERS.includes(type) || LABEL_NUMBER.test(key) || LABEL_NUMBER.test(label) || isYear({ key, type }, rows))
    return false
  return valuesOf(rows, key).length >= 2
}

function isTime(column: ChartColumn, rows: readonly Row[]): boolean {
  const { key, type } = column
  if (type === 'date' || type === 'datetime') return rows.filter((row) => typeof row[key] === 'string').length >= 2
  return isYear(column, rows)
}

function isYear({ key, type }: Pick<ChartColumn, 'key' | 'type'>, rows: readonly Row[]): boolean {
  return type === 'integer' && YEAR.test(key) && valuesOf(rows, key).every((value) => value >= 1000 && value <= 3000)
}

/** Text that is different in every row: two bars with the same name would say nothing. */
function isCategory({ key, type }: ChartColumn, rows: readonly Row[]): boolean {
  if (type !== 'text') return false
  const names = new Set(rows.map((row) => row[key]))
  return names.size === rows.length && !names.has(null) && !names.has('')
}

/** Columns that fit on one axis: the first, and those whose largest value is within a factor of 20 of the first's. */
function alike(columns: readonly ChartColumn[], rows: readonly Row[]): ChartColumn[] {
  const [first] = columns
  if (first === undefined) return []
  const size = ({ key }: ChartColumn): number =>
    valuesOf(rows, key).reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  const measure = size(first)
  return columns
    .filter((column) => {
      const other = size(column)
      return column.type === first.type || bothPlain(column, first)
        ? other <= measure * 20 && measure <= other * 20
        : false
    })
    .slice(0, MOST_SERIES)
}

function bothPlain(a: ChartColumn, b: ChartColumn): boolean {
  const plain = ['integer', 'number']
  return plain.includes(a.type) && plain.includes(b.type)
}

function valuesOf(rows: readonly Row[], key: string): number[] {
  return rows.flatMap((row) => {
    const value = row[key]
    return typeof value === 'number' && Number.isFinite(value) ? [value] : []
  })
}
