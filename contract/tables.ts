import { z } from 'zod'
import { FILTER_OPS } from './filter-ops.ts'
import { Cell, CellType } from './messages.ts'
import { json, route } from './route.ts'
import { Id } from './values.ts'

/** Bytes of a request that brings its rows along. */
export const TABLE_EXPORT_LIMIT = 10 * 1024 * 1024
export const LABEL_KEYS_LIMIT = 200
export const LABEL_KEY_LENGTH = 200

export const TableColumnType = z.enum(['text', 'integer', 'number', 'boolean', 'date', 'datetime'])
export type TableColumnType = z.infer<typeof TableColumnType>

export const TableFilterOp = z.enum(FILTER_OPS)
export type TableFilterOp = z.infer<typeof TableFilterOp>

const ColumnKey = z.string().min(1).max(300)
const FilterValue = z.union([z.string().max(10_000), z.number(), z.boolean()])

/** Which rows and columns of a sheet are looked at, and in which order. Columns are named by their key. */
export const TableView = z.strictObject({
  /** Rows with this anywhere in a cell, upper and lower case alike. */
  search: z.string().max(1000).optional(),
  /** All of them hold. A list for `in`, no value for `empty` and `not_empty`. Integers beyond 2^53 are written as text. */
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
  /** The first counts most; empty cells come last in both directions. */
  sort: z
    .array(z.strictObject({ column: ColumnKey, dir: z.enum(['asc', 'desc']) }))
    .max(10)
    .optional(),
  /** Only these, in this order. */
  columns: z.array(ColumnKey).min(1).max(4000).optional(),
})
export type TableView = z.infer<typeof TableView>

/** What is the largest `view` that a query takes, in characters. */
const VIEW_LENGTH = 12_000

export const TableResult = z.strictObject({
  file_id: Id,
  name: z.string(),
  sheets: z.array(z.string()),
  sheet: z.string(),
  columns: z.array(
    z.strictObject({
      /** The label, made unique: what a view names the column by. */
      key: z.string(),
      label: z.string(),
      type: TableColumnType,
      nullable: z.boolean(),
    }),
  ),
  /** By the keys of the columns. Dates as `2026-01-31`, times in ISO 8601, numbers that a double cannot hold as text. */
  rows: z.array(z.record(z.string(), Cell)),
  page: z.int(),
  page_size: z.int(),
  /** Null while `preparing`: nobody has read the file to its end. */
  total_rows: z.int().nullable(),
  total_pages: z.int().nullable(),
  view: TableView,
  /** Sentences about what is broken in the file or was left out. */
  notices: z.array(z.string()),
  /**
   * These rows come straight from the beginning of a large file that is still being read: column types may get more general, and
   * the totals are not known. Ask again for what holds. Other pages and views wait until the file is read.
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

/** Looked at cell by cell here: a schema for each cell would cost a hundred times as much. */
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
 * Either a stored file (`file_id`, with `sheet` and `view`): the whole view, and `columns` names those wanted. Or rows that the caller
 * has: `columns` and `rows`. With a `file_id`, `rows` is not looked at.
 */
export const TableExport = z.strictObject({
  file_id: z.string().max(64).nullish(),
  sheet: z.string().max(300).nullish(),
  /** As the `view` of a table: JSON text, or what it means. */
  view: z.union([z.string().max(VIEW_LENGTH * 10), TableView]).nullish(),
  columns: z.array(ExportColumn).max(16_384).nullish(),
  rows: ExportRows.nullish(),
  /** Names the file and its sheet. */
  title: z.string().max(300).nullish(),
  ai_column_presentation: z.record(z.string(), ColumnPresentation).nullish(),
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
    errors: ['forbidden', 'approval_required', 'not_found', 'unreadable_file', 'unsupported_media_type'],
  }),
  export: route({
    method: 'POST',
    path: '/api/chat/tables/export',
    summary: 'A table as an XLSX workbook: all rows of a view of a stored file, or the rows in the request',
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
      'unsupported_media_type',
    ],
  }),
  labels: route({
    method: 'POST',
    path: '/api/chat/table-labels',
    summary: 'Labels that people can read for the keys of columns, by the AI engine or by rule',
    access: 'session',
    body: {
      kind: 'json',
      schema: z.strictObject({
        /** 1–200 of them, each 1–200 characters. */
        keys: z.array(z.string()).default([]),
        /** What the table is called. */
        title: z.string().max(2000).nullish(),
        /** What was asked, so that the labels fit the answer. */
        question: z.string().max(20_000).nullish(),
      }),
    },
    response: json(
      z.strictObject({
        /** A label for every key that was asked for. */
        columns: z.record(z.string(), z.string()),
        /** False: made by rule. */
        ai_generated: z.boolean(),
      }),
    ),
    errors: ['bad_keys', 'ai_unavailable'],
    rateLimit: 120,
  }),
}
