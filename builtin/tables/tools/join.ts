import { z } from 'zod'
import { findColumn } from '../../../server/tables/shape/find-column.ts'
import { sqlName } from '../../../server/tables/shape/sql-text.ts'
import type { TableColumn } from '../../../server/tables/shape/table-shape.ts'
import { tool } from '../../tool.ts'
import { openTable, type StoredTables } from '../stored-table.ts'
import { ColumnInput, FileInput, LimitInput, SheetInput } from '../table-inputs.ts'
import { countOf, remarks, reportTable } from '../table-report.ts'

/** Joins two tables. */
export function joinTool(stored: StoredTables) {
  return tool({
    name: 'join',
    title: 'Join two tables',
    description:
      'Rows of two stored tables that belong together because their keys are equal. inner: only rows with a partner; left: all rows of the left table. ' +
      'Empty keys have no partner. Columns of the right table follow those of the left, without its keys. Use query for anything more.',
    effect: 'read',
    input: z.strictObject({
      left: FileInput,
      right: FileInput,
      left_sheet: SheetInput,
      right_sheet: SheetInput,
      on: z
        .array(z.strictObject({ left: ColumnInput, right: ColumnInput }))
        .min(1)
        .max(10)
        .describe('Columns that have to be equal'),
      kind: z.enum(['inner', 'left']).default('inner'),
      limit: LimitInput,
    }),
    async run({ left, right, left_sheet, right_sheet, on, kind, limit }, context) {
      const l = await openTable(stored, context, { file: left, sheet: left_sheet })
      const r = await openTable(stored, context, { file: right, sheet: right_sheet })
      const pairs = on.map((pair) => ({
        left: findColumn(l.columns, pair.left),
        right: findColumn(r.columns, pair.right),
      }))
      const keys = new Set(pairs.map((pair) => pair.right.key))
      const columns = [
        ...l.columns.map(({ key }) => ({ sql: `l.${sqlName(key)}`, key })),
        ...r.columns.filter(({ key }) => !keys.has(key)).map(({ key }) => ({ sql: `r.${sqlName(key)}`, key })),
      ]
      const statement =
        `SELECT ${columns.map(({ sql, key }) => `${sql} AS ${sqlName(key)}`).join(', ')} ` +
        `FROM l ${kind === 'left' ? 'LEFT JOIN' : 'JOIN'} r ON ${pairs.map(equalSql).join(' AND ')} ` +
        `ORDER BY ${pairs.map((pair) => `l.${sqlName(pair.left.key)} NULLS LAST`).join(', ')}`
      const sources = [
        { name: 'l', source: l.source, sheet: l.sheet },
        { name: 'r', source: r.source, sheet: r.sheet },
      ]
      const found = await stored.tables.query(sources, statement, [], limit, context.signal)
      const mixed = pairs.filter((pair) => !comparable(pair.left, pair.right))
      const asText = mixed.map(
        (pair) =>
          `\n"${pair.left.key}" (${pair.left.type}) and "${pair.right.key}" (${pair.right.type}) were compared as text.`,
      )
      return {
        text: `${countOf(found.total_rows, 'row')} from "${l.name}" and "${r.name}".${asText.join('')}${remarks([...l.notices, ...r.notices], found.columns.length)}`,
        tables: [reportTable(`${l.name} with ${r.name}`, found.columns, found.rows, found.total_rows)],
      }
    },
  })
}

interface Pair {
  readonly left: TableColumn
  readonly right: TableColumn
}

function equalSql({ left, right }: Pair): string {
  const [a, b] = [`l.${sqlName(left.key)}`, `r.${sqlName(right.key)}`]
  return comparable(left, right) ? `${a} = ${b}` : `CAST(${a} AS VARCHAR) = CAST(${b} AS VARCHAR)`
}

/** `007` and 7 are different keys, because the former is text. */
function comparable(left: TableColumn, right: TableColumn): boolean {
  const kind = ({ type }: TableColumn): string => (type === 'integer' ? 'number' : type)
  return kind(left) === kind(right)
}
