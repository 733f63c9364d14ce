import { z } from 'zod'
import { tool } from '../../tool.ts'
import { openTable, type StoredTables } from '../stored-table.ts'
import { ChartInput, FileInput, LimitInput } from '../table-inputs.ts'
import { charted, countOf, remarks, reportTable } from '../table-report.ts'

/** Runs read-only SQL. */
export function queryTool(stored: StoredTables) {
  return tool({
    name: 'query',
    title: 'Ask tables with SQL',
    description:
      'One SELECT (also WITH … SELECT) in the dialect of DuckDB over stored tables, each under a name of your choice. Columns have the names and types that describe tells; ' +
      'put names that are no plain words into double quotes. Nothing can be written, and no other file can be read.',
    effect: 'read',
    summary: 'Runs {sql}',
    input: z.strictObject({
      sql: z.string().min(1).max(50_000),
      files: z
        .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/), FileInput)
        .refine((files) => Object.keys(files).length >= 1 && Object.keys(files).length <= 10, {
          message: 'name 1 to 10 files',
        })
        .describe('Name in the SQL → id or name of a stored file'),
      sheets: z
        .record(z.string(), z.string().max(300))
        .default({})
        .describe('Name in the SQL → sheet, where it is not the first'),
      params: z
        .array(z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()]))
        .max(100)
        .default([])
        .describe('Values for ? in the SQL'),
      chart: ChartInput.default('none'),
      limit: LimitInput,
    }),
    async run({ sql, files, sheets, params, chart, limit }, context) {
      const sources = []
      const notices: string[] = []
      for (const [name, file] of Object.entries(files)) {
        const table = await openTable(stored, context, {
          file,
          sheet: Object.hasOwn(sheets, name) ? sheets[name] : undefined,
        })
        sources.push({ name, source: table.source, sheet: table.sheet })
        notices.push(...table.notices.map((notice) => `${table.name}: ${notice}`))
      }
      const found = await stored.tables.query(sources, sql, params, limit, context.signal)
      const cut = found.rows.length < found.total_rows ? ` The first ${found.rows.length} are shown.` : ''
      return {
        text: `${countOf(found.total_rows, 'row')}.${cut}${remarks(notices, found.columns.length)}`,
        tables: [charted(reportTable('Result', found.columns, found.rows, found.total_rows), chart)],
      }
    },
  })
}
