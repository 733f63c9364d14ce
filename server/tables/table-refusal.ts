import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { TableError } from './shape/table-error.ts'

/**
 * Runs work on a table for a request; turns the table's refusals into answers of the routes. Whatever a file contains
 * is never an internal error.
 */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof TableError ? refusalOf(error) : error
  }
}

function refusalOf(error: TableError): AppError {
  const { code } = error
  const message = error.detail
  switch (code) {
    case 'unsupported':
      return new AppError('unsupported_media_type', message)
    case 'no_sheet':
      return new AppError('invalid_request', message, { errors: [{ path: 'sheet', message }] })
    case 'bad_view':
    case 'bad_query':
      return new AppError('invalid_request', message, { errors: [{ path: 'view', message }] })
    case 'unreadable':
    case 'too_large':
      return new AppError('unreadable_file', message)
    case 'timeout':
      return new AppError(
        'table_timeout',
        say`${message} Narrow the table down with a filter, or try again when the service is less busy.`,
        { retryAfter: 10, cause: error },
      )
    // The process that reads untrusted bytes failed on these, or they are too much: the cause is for the log.
    case 'stale':
    case 'failed':
      return new AppError('unreadable_file', message, { cause: error })
    case 'busy':
      return new AppError('tables_busy', message)
    case 'cancelled':
      return new AppError('stopping', message)
  }
}
