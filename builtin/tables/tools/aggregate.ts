import { z } from 'zod'
import { findColumn } from '../../../server/tables/shape/find-column.ts'
import { sqlName } from '../../../server/tables/shape/sql-text.ts'
import { TableError } from '../../../server/tables/shape/table-error.ts'
import { say } from '../../../server/kernel/sentence.ts'
import type { TableColumn } from '../../../server/tables/shape/table-shape.ts'
import { tool } from '../../tool.ts'
import { openTable, type StoredTables } from '../stored-table.ts'
import { ChartInput, ColumnInput, FileInput, FiltersInput, LimitInput, SheetInput } from '../table-inputs.ts'
import { charted, countOf, remarks, reportTable } from '../table-report.ts'

const FUNCTIONS = ['count', 'sum', 'avg', 'min', 'max', 'median', 'count_distinct'] as const
const Measure = z.strictObject({
  function: z.enum(FUNCTIONS),
  column: ColumnInput.optional().describe('Needed by all but count; count without a column counts rows'),
})
type Measure = z.infer<typeof Measure>

/** Computes figures by group. */
export function aggregateTool(stored: StoredTables) {
  return tool({
    name: 'aggregate',
    title: 'Sum up a table',
    description:
      'Counts, sums, averages, smallest, largest and middle values and numbers of different values of a stored table, for each group or for all rows, after filters. ' +
      'Empty cells are left out of every figure but the count of rows. Sums of decimals are exact.',
    effect: 'read',
    input: z.strictObject({
      file: FileInput,
      sheet: SheetInput,
      group_by: z
        .array(ColumnInput)
        .max(10)
        .default([])
        .describe('One row for each different value; none: one row for all'),
      measures: z
        .array(Measure)
        .min(1)
        .max(30)
        .default([{ function: 'count' }]),
      filters: FiltersInput,
      sort: z
        .strictObject({
          by: z.int().min(1).describe('Which measure, from 1'),
          dir: z.enum(['asc', 'desc']).default('desc'),
        })
        .optional()
        .describe('Groups by a measure; else by their values'),
      chart: ChartInput.default('auto'),
      limit: LimitInput,
    }),
    async run({ file, sheet, group_by, measures, filters, sort, chart, limit }, context) {
      const table = await openTable(stored, context, { file, sheet })
      const groups = group_by.map((key) => findColumn(table.columns, key))
      const figures = measures.map((measure) => figureSql(table.columns, measure))
      if (sort !== undefined && sort.by > measures.length)
        throw new TableError(
          'bad_view',
          say`There are ${measures.length} measures, so there is none with the number ${sort.by}.`,
        )
      const terms = [
        ...groups.map(({ key }) => `${sqlName(key)} AS ${sqlName(key)}`),
        ...figures.map(({ sql, label }) => `${sql} AS ${sqlName(label)}`),
      ]
      const places = groups.map((_, i) => String(i + 1))
      const order = [
        ...(sort === undefined ? [] : [`${groups.length + sort.by} ${sort.dir} NULLS LAST`]),
        ...places.map((place) => `${place} NULLS LAST`),
      ]
      const statement =
        `SELECT ${terms.join(', ')} FROM t` +
        (groups.length === 0 ? '' : ` GROUP BY ${places.join(', ')} ORDER BY ${order.join(', ')}`)
      const source = { name: 't', source: table.source, sheet: table.sheet, view: { filters } }
      const found = await stored.tables.query([source], statement, [], limit, context.signal)
      const what = groups.length === 0 ? 'All rows' : countOf(found.total_rows, 'group')
      return {
        text: `${what} of "${table.name}".${remarks(table.notices, 0)}`,
        tables: [charted(reportTable(title(table.name, group_by), found.columns, found.rows, found.total_rows), chart)],
      }
    },
  })
}

function title(name: string, group_by: readonly string[]): string {
  return group_by.length === 0 ? name : `${name} by ${group_by.join(', ')}`
}

function figureSql(
  columns: readonly TableColumn[],
  { function: name, column: wanted }: Measure,
): { sql: string; label: string } {
  if (wanted === undefined) {
    if (name === 'count') return { sql: 'count(*)', label: 'Rows' }
    throw new TableError('bad_view', say`The measure "${name}" needs a column.`)
  }
  const column = findColumn(columns, wanted)
  if ((name === 'sum' || name === 'avg' || name === 'median') && column.type !== 'integer' && column.type !== 'number')
    throw new TableError(
      'bad_view',
      say`The column "${column.key}" holds ${column.type} values: "${name}" needs numbers.`,
    )
  const value = sqlName(column.key)
  return {
    sql: name === 'count_distinct' ? `count(DISTINCT ${value})` : `${name}(${value})`,
    label: `${name === 'count_distinct' ? 'different' : name} ${column.key}`,
  }
}
