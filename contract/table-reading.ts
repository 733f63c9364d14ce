import { z } from 'zod'
import { TEXT_ENCODINGS } from './text-encodings.ts'
import { TableColumnType } from './table-column-type.ts'
import { Id } from './values.ts'

/** How many rows are searched for the labels. */
export const HEADER_ROW_LIMIT = 50
const TYPES_LIMIT = 1000
const SHEETS_LIMIT = 200

/** The user's choices about how a sheet is read. */
const SheetReading = z.strictObject({
  /** The row with the labels, counted from 1 without empty rows; 0: there is none. Rows above it are left out. */
  header_row: z.int().min(0).max(HEADER_ROW_LIMIT).optional(),
  /** By the keys of the columns; cells that don't fit are shown unchanged. */
  types: z
    .record(z.string().min(1).max(300), TableColumnType)
    .refine((types) => Object.keys(types).length <= TYPES_LIMIT, `At most ${TYPES_LIMIT} columns can be chosen`)
    .optional(),
})

/**
 * The user's choices about how a file is read as a table; anything omitted is detected. Empty: everything is detected.
 */
export const TableReading = z.strictObject({
  /** Of text: CSV and JSON. */
  encoding: z.enum(TEXT_ENCODINGS).optional(),
  /** Of delimited text: one character between the cells. */
  delimiter: z
    .string()
    .regex(/^[^"\r\n\0\uD800-\uDFFF]$/, 'A delimiter is one character, but no quote and no line end')
    .optional(),
  /** By the names of sheets; files without sheets have a single one, `Sheet1`. */
  sheets: z
    .record(z.string().max(300), SheetReading)
    .refine((sheets) => Object.keys(sheets).length <= SHEETS_LIMIT, `At most ${SHEETS_LIMIT} sheets can be chosen`)
    .optional(),
})
export type TableReading = z.infer<typeof TableReading>

export const TableReadingResult = z.strictObject({
  file_id: Id,
  /** The user's choices. */
  chosen: TableReading,
  /** How the sheet is read now, by choice or detection. */
  format: z.string(),
  /** Null when the format itself defines it. */
  encoding: z.string().nullable(),
  /** The file does not declare its encoding, and none was chosen. */
  encoding_guessed: z.boolean(),
  delimiter: z.string().nullable(),
  sheet: z.string(),
  /** 0: none; null in formats that name their columns. */
  header_row: z.int().nullable(),
  columns: z.array(z.strictObject({ key: z.string(), label: z.string(), type: TableColumnType })),
})
export type TableReadingResult = z.infer<typeof TableReadingResult>
export type FoundReading = Omit<TableReadingResult, 'file_id' | 'chosen'>
