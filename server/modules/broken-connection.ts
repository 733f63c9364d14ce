import { GuardedFetchError } from '../kernel/guarded-fetch.ts'

/** What an error of a remote module's connection means: whether a call may have reached it, and whether it has to be connected anew. */
export interface ConnectionFailure {
  readonly message: string
  readonly arrived: boolean
  readonly broken: boolean
}

/** Null where the error is none of the connection. The sentences say nothing that the other end said. */
export function connectionFailure(error: unknown): ConnectionFailure | null {
  if (error instanceof GuardedFetchError) {
    const notSent = error.code !== 'timeout' && error.code !== 'too_large'
    return { message: error.message, arrived: !notSent, broken: true }
  }
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  if (typeof status !== 'number') return null
  if (status === 401 || status === 403)
    return { message: `The server refuses the token (HTTP ${status}).`, arrived: false, broken: true }
  // A session that the server no longer knows.
  if (status === 404)
    return { message: 'The server does not know this address (HTTP 404).', arrived: false, broken: true }
  return { message: `The server answered with HTTP ${status}.`, arrived: status >= 500, broken: false }
}
