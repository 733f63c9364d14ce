import { z } from 'zod'

export const TableColumnType = z.enum(['text', 'integer', 'number', 'boolean', 'date', 'datetime'])
export type TableColumnType = z.infer<typeof TableColumnType>
