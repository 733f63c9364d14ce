import { z } from 'zod'
import { CHART_KINDS } from '../../contract/chart-suggestion.ts'
import { FILTER_OPS } from '../../contract/filter-ops.ts'

const Scalar = z.union([z.string().max(10_000), z.number(), z.boolean()])

export const FileInput = z.string().min(1).max(300).describe('Id of a stored file, or its name')
export const SheetInput = z
  .string()
  .max(300)
  .optional()
  .describe('Sheet, or table of an SQLite file; the first one unless given')
export const ColumnInput = z.string().min(1).max(300)
export const FiltersInput = z
  .array(
    z.strictObject({
      column: ColumnInput,
      op: z.enum(FILTER_OPS),
      value: z
        .union([Scalar, z.array(Scalar).max(1000)])
        .optional()
        .describe('A list for "in"; nothing for empty and not_empty'),
    }),
  )
  .max(50)
  .default([])
  .describe('All of them have to hold')
export const ChartInput = z
  .enum([...CHART_KINDS, 'auto', 'none'])
  .describe(
    'Show the person the rows as this kind of chart first; auto: where they make a good one; none: only as a table',
  )
export const LimitInput = z.int().min(1).max(1000).default(100).describe('Rows to show; all of them are counted')
