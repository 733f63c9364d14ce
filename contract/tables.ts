import { z } from 'zod'
import { EXPORT_FORMATS } from './export-formats.ts'
import { FILTER_OPS } from './filter-ops.ts'
import { Cell, CellType } from './messages.ts'
import { json, route } from './route.ts'
import { ColumnKey, TableChartResult } from './table-chart.ts'
import { TableColumnType } from './table-column-type.ts'
import { TableReading, TableReadingResult } from './table-reading.ts'
import { Id } from './values.ts'

/** Maximum bytes of a request that contains its rows. */
export const TABLE_EXPORT_LIMIT = 10 * 1024 * 1024
export const LABEL_KEYS_LIMIT = 200
export const LABEL_KEY_LENGTH = 200

export const TableFilterOp = z.enum(FILTER_OPS)
export type TableFilterOp = z.infer<typeof TableFilterOp>

const FilterValue = z.union([z.string().max(10_000), z.number(), z.boolean()])

/** Which rows and columns of a sheet are shown, and in which order. Columns are referred to by their key. */
export const TableView = z.strictObject({
  /** Rows with this text anywhere in a cell, ignoring case and accents: `emile` finds `Émile`. */
  search: z.string().max(1000).optional(),
  /**
   * All of them must match. `in` takes a list, `empty` and `not_empty` take no value. Integers beyond 2^53 are written
   * as text.
   */
  filters: z
    .array(
      z.strictObject({
        column: ColumnKey,
        op: TableFilterOp,
        value: z.union([FilterValue, z.array(FilterValue).max(1000)]).optional(),
      }),
    )
    .max(50)
    .optional(),
  /**
   * The first has priority; empty cells come last in both directions. Text is sorted by the rules of the caller's
   * language.
   */
  sort: z
    .array(z.strictObject({ column: ColumnKey, dir: z.enum(['asc', 'desc']) }))
    .max(10)
    .optional(),
  /** Only these, in this order. */
  columns: z.array(ColumnKey).min(1).max(4000).optional(),
})
export type TableView = z.infer<typeof TableView>

/** Maximum length of `view` in a query, in characters. */
const VIEW_LENGTH = 12_000

export const TableResult = z.strictObject({
  file_id: Id,
  name: z.string(),
  sheets: z.array(z.string()),
  sheet: z.string(),
  columns: z.array(
    z.strictObject({
      /** The label made unique, by which a view refers to the column. */
      key: z.string(),
      label: z.string(),
      type: TableColumnType,
      nullable: z.boolean(),
    }),
  ),
  /**
   * By the keys of the columns. Dates as `2026-01-31`, times in ISO 8601, numbers that a double cannot hold as text.
   */
  rows: z.array(z.record(z.string(), Cell)),
  /**
   * Row by row, the cells as written in the file, for columns whose values are written differently: `$1,234.50` for
   * 1234.5, `12%` for 0.12, `3/14/2024` for `2024-03-14`, `9:05` for its seconds. Omitted when there are no such
   * columns.
   */
  texts: z.array(z.record(z.string(), z.string())).optional(),
  page: z.int(),
  page_size: z.int(),
  /** Null while `preparing`: the file has not been read to its end. */
  total_rows: z.int().nullable(),
  total_pages: z.int().nullable(),
  view: TableView,
  /** Sentences about what is damaged in the file or was left out. */
  notices: z.array(z.string()),
  /**
   * These rows come from the beginning of a large file that is still being read: column types may become more general,
   * and totals are not known yet. Ask again for the final result. Other pages and views wait until the file has been
   * read.
   */
  preparing: z.boolean(),
})
export type TableResult = z.infer<typeof TableResult>

/** How a column is shown in a spreadsheet; by its key. */
export const ColumnPresentation = z.strictObject({
  label: z.string().max(300).nullish(),
  /** `integer`, `number`, `percent`, `date`, `datetime`, `bytes`, `duration`, `text`, a currency … */
  format: z.string().max(100).nullish(),
  /** Characters. */
  width: z.number().min(0).max(1000).nullish(),
  hidden: z.boolean().nullish(),
})

const ExportColumn = z.union([
  ColumnKey,
  z.strictObject({
    key: ColumnKey,
    label: z.string().max(1000).nullish(),
    type: CellType.nullish(),
    nullable: z.boolean().nullish(),
  }),
])

/** Checked here cell by cell: a schema for each cell would cost a hundred times as much. */
function areRows(value: unknown): boolean {
  if (!Array.isArray(value)) return false
  return value.every((row: unknown) => {
    if (row === null || typeof row !== 'object' || Array.isArray(row)) return false
    for (const cell of Object.values(row)) if (cell !== null && typeof cell === 'object') return false
    return true
  })
}
const ExportRows = z
  .custom<Record<string, z.infer<typeof Cell>>[]>(
    areRows,
    'Rows are a list of objects whose values are text, numbers, true, false or null',
  )
  .meta({
    type: 'array',
    items: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } },
  })

/**
 * Either a stored file (`file_id`, with `sheet` and `view`), exported as the whole view, with `columns` listing those
 * wanted; or the caller's own rows: `columns` and `rows`. With a `file_id`, `rows` is ignored.
 */
export const TableExport = z.strictObject({
  file_id: z.string().max(64).nullish(),
  sheet: z.string().max(300).nullish(),
  /** Like the `view` of a table: as JSON text or as its value. */
  view: z.union([z.string().max(VIEW_LENGTH * 10), TableView]).nullish(),
  columns: z.array(ExportColumn).max(16_384).nullish(),
  rows: ExportRows.nullish(),
  /** Names the file and its sheet. */
  title: z.string().max(300).nullish(),
  ai_column_presentation: z.record(z.string(), ColumnPresentation).nullish(),
  /**
   * XLSX by default. CSV: UTF-8 with byte order mark, commas, CRLF; text that a spreadsheet would run as a formula
   * (beginning with = + - @) is preceded by an apostrophe. JSON: a list of objects; NDJSON: one object per line.
   * Parquet and XLSX state where the rows come from.
   */
  format: z.enum(EXPORT_FORMATS).nullish(),
  /**
   * For a stored file: every sheet in full. As XLSX one workbook, in other formats a ZIP with a file for each sheet and
   * `provenance.json`.
   */
  all_sheets: z.boolean().nullish(),
})
export type TableExport = z.infer<typeof TableExport>

export const tables = {
  table: route({
    method: 'GET',
    path: '/api/files/{file_id}/table',
    summary: 'A page of a table in a stored file: CSV, TSV, JSON, NDJSON, XLSX, XLS, ODS, Parquet or SQLite',
    access: 'session',
    permissions: ['files.read'],
    params: z.object({ file_id: Id }),
    query: z.object({
      page: z.coerce.number().int().min(1).max(1_000_000_000).default(1),
      page_size: z.coerce.number().int().min(1).max(500).default(25),
      /** JSON text of a TableView. */
      view: z.string().max(VIEW_LENGTH).default('{}'),
      /** Name of a sheet; the first one when empty. */
      sheet: z.string().max(300).default(''),
    }),
    response: json(TableResult),
    errors: [
      'forbidden',
      'approval_required',
      'not_found',
      'unreadable_file',
      'table_timeout',
      'unsupported_media_type',
      'tables_busy',
    ],
  }),
  chart: route({
    method: 'GET',
    path: '/api/files/{file_id}/table/chart',
    summary: 'What a chart of a table in a stored file draws: all rows of a view, thinned out so that its peaks stay',
    access: 'session',
    permissions: ['files.read'],
    params: z.object({ file_id: Id }),
    query: z.object({
      /** JSON text of a TableChart. */
      chart: z.string().max(VIEW_LENGTH),
      /** JSON text of a TableView; its columns don't matter. */
      view: z.string().max(VIEW_LENGTH).default('{}'),
      /** Name of a sheet; the first one when empty. */
      sheet: z.string().max(300).default(''),
    }),
    response: json(TableChartResult),
    errors: [
      'forbidden',
      'approval_required',
      'not_found',
      'unreadable_file',
      'table_timeout',
      'unsupported_media_type',
      'tables_busy',
    ],
  }),
  reading: route({
    method: 'GET',
    path: '/api/files/{file_id}/table/reading',
    summary:
      'How a stored file is read as a table: encoding, delimiter, header row, types of columns, and what of it was chosen',
    access: 'session',
    permissions: ['files.read'],
    params: z.object({ file_id: Id }),
    query: z.object({
      /** Name of a sheet; the first one when empty. */
      sheet: z.string().max(300).default(''),
    }),
    response: json(TableReadingResult),
    errors: ['forbidden', 'approval_required', 'not_found', 'unreadable_file', 'unsupported_media_type'],
  }),
  setReading: route({
    method: 'PUT',
    path: '/api/files/{file_id}/table/reading',
    summary: 'Choose how a stored file is read as a table; kept with the file. An empty object: as it is found',
    access: 'session',
    permissions: ['files.create', 'files.read'],
    params: z.object({ file_id: Id }),
    body: { kind: 'json', schema: TableReading },
    response: json(z.strictObject({ ok: z.literal(true), file_id: Id })),
    errors: ['forbidden', 'approval_required', 'not_found', 'unreadable_file', 'unsupported_media_type'],
  }),
  export: route({
    method: 'POST',
    path: '/api/chat/tables/export',
    summary:
      'A table as XLSX, CSV, JSON, NDJSON or Parquet: all rows of a view of a stored file, all its sheets, or the rows in the request',
    access: 'session',
    permissions: ['files.create', 'files.read'],
    body: { kind: 'json', schema: TableExport, limit: TABLE_EXPORT_LIMIT, untyped: true, exact: true },
    response: { kind: 'file', disposition: 'attachment' },
    errors: [
      'forbidden',
      'approval_required',
      'not_found',
      'payload_too_large',
      'unreadable_file',
      'table_timeout',
      'unsupported_media_type',
      'tables_busy',
    ],
  }),
  labels: route({
    method: 'POST',
    path: '/api/chat/table-labels',
    summary: 'Labels that people can read for the keys of columns, by the AI engine or by rule',
    access: 'session',
    tokenNeeds: 'codex.use',
    body: {
      kind: 'json',
      schema: z.strictObject({
        /** 1–200 of them, each 1–200 characters. */
        keys: z.array(z.string()).default([]),
        /** Title of the table. */
        title: z.string().max(2000).nullish(),
        /** The question asked, so that the labels suit the answer. */
        question: z.string().max(20_000).nullish(),
      }),
    },
    response: json(
      z.strictObject({
        /** A label for every requested key. */
        columns: z.record(z.string(), z.string()),
        /** False: made by rules. */
        ai_generated: z.boolean(),
      }),
    ),
    errors: ['bad_keys', 'ai_unavailable'],
    rateLimit: 120,
  }),
}
