import { TableView } from '../../../contract/tables.ts'
import { AppError } from '../../kernel/app-error.ts'
import { isTooDeep, JSON_DEPTH } from '../../kernel/text/json-depth.ts'
import { quoted, say, type Sentence } from '../../kernel/sentence.ts'
import type { SheetView } from '../shape/sheet-view.ts'

const MOST = 20

/**
 * Parses the view that a request gives as JSON text; empty text is the whole table. @throws {AppError} invalid_request
 */
export function readView(text: string): TableView {
  if (text.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refuse(say`The view is not valid JSON. The whole table is ${'{}'}.`, [])
  }
  if (isTooDeep(value)) throw refuse(say`The view is nested more than ${JSON_DEPTH} levels deep.`, [])
  const view = TableView.safeParse(value)
  if (view.success) return view.data
  const errors = view.error.issues.slice(0, MOST).map(({ path, message }) => ({
    path: ['view', ...path].map(String).join('.').slice(0, 200),
    message,
  }))
  const [first] = errors
  throw refuse(quoted(`${first!.path}: ${first!.message}`), errors)
}

/** Whether it leaves rows and columns as they are in the file. */
export function isWhole({ search, filters, sort, columns }: SheetView): boolean {
  return (search ?? '') === '' && (filters ?? []).length === 0 && (sort ?? []).length === 0 && columns === undefined
}

function refuse(message: Sentence, errors: { path: string; message: string }[]): AppError {
  return new AppError('invalid_request', message, { errors: errors.length > 0 ? errors : [{ path: 'view', message }] })
}
