/** How a cell is compared with a filter's value. Without zod, for the processes that read tables. */
export const FILTER_OPS = [
  'eq',
  'ne',
  'lt',
  'lte',
  'gt',
  'gte',
  'contains',
  'starts_with',
  'in',
  'empty',
  'not_empty',
] as const
export type FilterOp = (typeof FILTER_OPS)[number]
