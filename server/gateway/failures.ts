import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { ERRORS } from '../../contract/errors.ts'
import { AppError } from '../kernel/app-error.ts'
import { storageFailure } from '../kernel/storage-failure.ts'
import type { GatewayContext } from './ports.ts'

/**
 * Answers of the gateway. The library sends the text of whatever is thrown to the client, so nothing gets that far but
 * what is meant for it; everything else is logged. @throws {ProtocolError}
 */
export async function answered<T>(
  { log, onStorageFull }: Pick<GatewayContext, 'log' | 'onStorageFull'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    if (isRefusal(error)) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, error.message)
    if (storageFailure(error) === 'full') onStorageFull()
    log.error({ err: error }, 'a request of an MCP client failed')
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error')
  }
}

/** Whether it says what somebody can do about it, and nothing of the inside. */
export function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && ERRORS[error.code].status < 500
}
