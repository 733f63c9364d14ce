import { TableChart } from '../../../contract/table-chart.ts'
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
  return text.trim() === '' ? {} : parsed(text, 'view', TableView)
}

/** Parses what is to be drawn, given as JSON text. @throws {AppError} invalid_request */
export function readChartRequest(text: string): TableChart {
  return parsed(text, 'chart', TableChart)
}

function parsed<Schema extends typeof TableView | typeof TableChart>(
  text: string,
  field: 'view' | 'chart',
  schema: Schema,
): ReturnType<Schema['parse']> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const message =
      field === 'view'
        ? say`The view is not valid JSON. The whole table is ${'{}'}.`
        : say`What is to be drawn is not valid JSON.`
    throw refuse(field, message, [])
  }
  if (isTooDeep(value)) {
    const message =
      field === 'view'
        ? say`The view is nested more than ${JSON_DEPTH} levels deep.`
        : say`What is to be drawn is nested more than ${JSON_DEPTH} levels deep.`
    throw refuse(field, message, [])
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data as ReturnType<Schema['parse']>
  const errors = result.error.issues.slice(0, MOST).map(({ path, message }) => ({
    path: [field, ...path].map(String).join('.').slice(0, 200),
    message,
  }))
  const [first] = errors
  throw refuse(field, quoted(`${first!.path}: ${first!.message}`), errors)
}

/** Whether it leaves rows and columns as they are in the file. */
export function isWhole({ search, filters, sort, columns }: SheetView): boolean {
  return (search ?? '') === '' && (filters ?? []).length === 0 && (sort ?? []).length === 0 && columns === undefined
}

function refuse(field: string, message: Sentence, errors: { path: string; message: string }[]): AppError {
  return new AppError('invalid_request', message, { errors: errors.length > 0 ? errors : [{ path: field, message }] })
}
