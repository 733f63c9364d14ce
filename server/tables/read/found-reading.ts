import type { FoundReading } from '../../../contract/table-reading.ts'
import type { PreparedFile, PreparedSheet } from '../shape/table-shape.ts'

/** How a sheet is read, as reported to the user. */
export function foundReading(file: PreparedFile, { name, header_row, columns }: PreparedSheet): FoundReading {
  const { format, encoding, encoding_guessed = false, delimiter } = file
  const named = columns.map(({ key, label, type }) => ({ key, label, type }))
  return { format, encoding, encoding_guessed, delimiter, sheet: name, header_row: header_row ?? null, columns: named }
}
