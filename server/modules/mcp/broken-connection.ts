import { GuardedFetchError } from '../../kernel/network/guarded-fetch.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { sentenceOf } from '../spec/module-problem.ts'

/**
 * What an error of a remote module's connection means: whether a call may have arrived, and whether a new connection is
 * needed.
 */
export interface ConnectionFailure {
  readonly detail: Sentence
  readonly arrived: boolean
  readonly broken: boolean
}

/** Null when the error is not one of the connection. The sentences repeat nothing that the other end said. */
export function connectionFailure(error: unknown): ConnectionFailure | null {
  if (error instanceof GuardedFetchError) {
    const notSent = error.code !== 'timeout' && error.code !== 'too_large'
    return { detail: sentenceOf(error), arrived: !notSent, broken: true }
  }
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  if (typeof status !== 'number') return null
  if (status === 401 || status === 403)
    return { detail: say`The server rejects the token (HTTP ${status}).`, arrived: false, broken: true }
  // Also the answer for a session that the server no longer has.
  if (status === 404)
    return { detail: say`The server does not know this address (HTTP 404).`, arrived: false, broken: true }
  return { detail: say`The server answered with HTTP ${status}.`, arrived: status >= 500, broken: false }
}
