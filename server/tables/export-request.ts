import type { TableExport } from '../../contract/tables.ts'
import { AppError } from '../kernel/app-error.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import type { FileExport, RowsExport } from './export-table.ts'
import type { ColumnPresentation } from './shape/export-plan.ts'
import { isWhole, readView } from './query/read-view.ts'
import type { TableFiles } from './table-files.ts'

type Columns = NonNullable<TableExport['columns']>

/**
 * What a request wants exported: the view of a stored file if it names one, else the rows that it contains.
 * @throws {AppError} invalid_request, not_found
 */
export async function exportedFrom(
  request: TableExport,
  user_id: string,
  files: TableFiles,
): Promise<FileExport | RowsExport> {
  const { file_id, sheet, columns, rows, all_sheets } = request
  if (file_id) {
    const view = typeof request.view === 'string' ? readView(request.view) : (request.view ?? {})
    if (all_sheets) {
      if (sheet || !isWhole(view) || (columns ?? []).length > 0)
        throw refuse('all_sheets', say`All sheets are exported whole: leave out "sheet", "view" and "columns".`)
      return { source: await files.source(user_id, file_id), sheet: { all: true } }
    }
    const wanted = columns?.map((column) => (typeof column === 'string' ? column : column.key)) ?? []
    return {
      source: await files.source(user_id, file_id),
      sheet: sheet || undefined,
      view: wanted.length > 0 ? { ...view, columns: wanted } : view,
    }
  }
  if (rows === null || rows === undefined) {
    throw refuse('file_id', say`Name a stored file by file_id, or send the rows themselves with their columns.`)
  }
  if (all_sheets) throw refuse('all_sheets', say`Only a stored file has sheets: name one by file_id.`)
  return { owner: user_id, columns: columns?.map(columnOf) ?? columnsOf(rows), rows }
}

function refuse(path: string, message: Sentence): AppError {
  return new AppError('invalid_request', message, { errors: [{ path, message }] })
}

/** How the columns are presented: the request's presentation, and labels that came with the columns. */
export function presentationOf({ ai_column_presentation, columns }: TableExport): Record<string, ColumnPresentation> {
  const presentation = new Map<string, ColumnPresentation>()
  for (const column of columns ?? [])
    if (typeof column !== 'string' && column.label) presentation.set(column.key, { label: column.label })
  for (const [key, { label, format, width, hidden }] of Object.entries(ai_column_presentation ?? {}))
    presentation.set(key, {
      label: label ?? presentation.get(key)?.label,
      format: format ?? undefined,
      width: width ?? undefined,
      hidden: hidden ?? undefined,
    })
  return Object.fromEntries(presentation)
}

function columnOf(column: Columns[number]): RowsExport['columns'][number] {
  if (typeof column === 'string') return { key: column }
  const { key, label, type } = column
  return { key, label: label || key, ...(type ? { type } : {}) }
}

/** Every key of the rows, in order of appearance. */
function columnsOf(rows: NonNullable<TableExport['rows']>): RowsExport['columns'] {
  const keys = new Set<string>()
  for (const row of rows) for (const key of Object.keys(row)) keys.add(key)
  return [...keys].map((key) => ({ key }))
}
