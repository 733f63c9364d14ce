/** Formats in which a table can be exported. Without zod, for the processes that write tables. */
export const EXPORT_FORMATS = ['xlsx', 'csv', 'json', 'ndjson', 'parquet'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]
