import { GuardedFetchError } from '../../kernel/network/guarded-fetch.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { sentenceOf } from '../spec/module-problem.ts'
import { type AccessCode, NoAccess, NotConnected } from '../spec/remote-access.ts'
import { SessionExpired } from '../spec/remote-refusals.ts'

/**
 * What an error of a remote module's connection means: whether a call may have arrived, and whether a new connection is
 * needed.
 */
export interface ConnectionFailure {
  readonly detail: Sentence
  readonly arrived: boolean
  readonly broken: boolean
  /** Only the session is over: in a new one, the call can be sent again. */
  readonly expired?: boolean
  /** Nothing lets the call in. */
  readonly access?: AccessCode
}

/** What a connection fails with before anything was sent over it. */
const BEFORE_SENDING =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ERR_TLS_.*|CERT_.*|.*_CERT|.*_CERT_.*)$/

/** Null when the error is not one of the connection. The sentences repeat nothing that the other end said. */
export function connectionFailure(thrown: unknown): ConnectionFailure | null {
  const error = ownCause(thrown)
  if (error instanceof GuardedFetchError) {
    return { detail: sentenceOf(error), arrived: mayHaveArrived(error), broken: true }
  }
  if (error instanceof SessionExpired) return { detail: error.detail, arrived: false, broken: true, expired: true }
  if (error instanceof NoAccess)
    return { detail: error.detail, arrived: false, broken: error instanceof NotConnected, access: error.code }
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  if (typeof status !== 'number') return null
  // With 403 it knows who asks, and refuses what is asked.
  if (status === 401 || status === 403)
    return { detail: say`The server rejects the token (HTTP ${status}).`, arrived: false, broken: status === 401 }
  // Also the answer for a session that the server no longer has.
  if (status === 404)
    return { detail: say`The server does not know this address (HTTP 404).`, arrived: false, broken: true }
  return { detail: say`The server answered with HTTP ${status}.`, arrived: status >= 500, broken: false }
}

/** A connection that ended while it was used may have carried the call before. */
function mayHaveArrived(error: GuardedFetchError): boolean {
  if (error.code !== 'unreachable') return error.code === 'timeout' || error.code === 'too_large'
  let inner: unknown = error.cause
  while (inner instanceof Error && inner.cause !== undefined) inner = inner.cause
  const code = inner instanceof Error && 'code' in inner ? String(inner.code) : ''
  return !BEFORE_SENDING.test(code)
}

/** The library wraps what went wrong while it found out the version of the protocol. */
export function ownCause(error: unknown): unknown {
  for (let inner = error; inner instanceof Error; inner = inner.cause)
    if (inner instanceof GuardedFetchError || inner instanceof SessionExpired || inner instanceof NoAccess) return inner
  return error
}
