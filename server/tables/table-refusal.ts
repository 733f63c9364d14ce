import { AppError } from '../kernel/app-error.ts'
import { TableError } from './table-error.ts'

/** Does work with a table for a request; what the table refuses becomes what the routes may answer. Whatever a file holds is no fault of ours. */
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
    case 'bad_view':
    case 'bad_query':
      return new AppError('invalid_request', message, {
        errors: [{ path: error.message.startsWith('There is no sheet') ? 'sheet' : 'view', message }],
      })
    case 'unreadable':
    case 'too_large':
      return new AppError('unreadable_file', message)
    // The process that reads strangers' bytes broke on these, or they hold too much: the cause is for the log.
    case 'timeout':
    case 'stale':
    case 'failed':
      return new AppError('unreadable_file', message, { cause: error })
    case 'cancelled':
      return new AppError('stopping', message)
  }
}
