import { z } from 'zod'
import { tool } from '../../tool.ts'
import { openTable, type StoredTables } from '../stored-table.ts'
import { ColumnInput, FileInput, FiltersInput, LimitInput, SheetInput } from '../table-inputs.ts'
import { countOf, remarks, reportTable } from '../table-report.ts'

/** Returns rows of a table, filtered and sorted. */
export function filterTool(stored: StoredTables) {
  return tool({
    name: 'filter',
    title: 'Filter a table',
    description:
      'Rows of a stored table for which all filters hold, sorted, with only the columns wanted. eq and ne tell upper from lower case, contains and ' +
      'starts_with do not. Dates are written 2026-01-31. Use it to look at rows; use aggregate for counts and sums.',
    effect: 'read',
    input: z.strictObject({
      file: FileInput,
      sheet: SheetInput,
      filters: FiltersInput,
      search: z.string().max(1000).optional().describe('Only rows with this anywhere, upper and lower case alike'),
      sort: z
        .array(z.strictObject({ column: ColumnInput, dir: z.enum(['asc', 'desc']).default('asc') }))
        .max(10)
        .default([]),
      columns: z.array(ColumnInput).min(1).max(100).optional().describe('Only these, in this order'),
      limit: LimitInput,
      page: z.int().min(1).max(1_000_000).default(1).describe('Which so many rows, from 1'),
    }),
    async run({ file, sheet, filters, search, sort, columns, limit, page }, context) {
      const table = await openTable(stored, context, { file, sheet })
      const request = { sheet: table.sheet, view: { filters, search, sort, columns }, page, page_size: limit }
      const found = await stored.tables.page(table.source, request, context.signal)
      const of = found.total_rows === table.rows ? '' : ` of ${table.rows}`
      const pages = found.total_pages > 1 ? ` Page ${page} of ${found.total_pages}.` : ''
      return {
        text: `${countOf(found.total_rows, 'row')}${of} in "${table.name}".${pages}${remarks(table.notices, found.columns.length)}`,
        tables: [reportTable(table.name, found.columns, found.rows, found.total_rows)],
      }
    },
  })
}
