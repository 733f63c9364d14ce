import type { ErrorCode } from '../../contract/errors.ts'

/** `network`: no response. `unexpected`: a response that is not a problem document (a proxy's page, for example). */
export type ApiErrorCode = ErrorCode | 'network' | 'unexpected'

/** A failed request: the content of the server's problem document, or that there was none. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** HTTP status; 0 without a response. */
  readonly status: number
  readonly code: ApiErrorCode
  readonly detail: string
  readonly errors: readonly { path: string; message: string }[]
  /** Seconds to wait before trying again, if the server says so. */
  readonly retryAfter: number | null

  constructor(problem: {
    status: number
    code: ApiErrorCode
    detail: string
    errors?: readonly { path: string; message: string }[]
    retryAfter?: number | null
  }) {
    super(`${problem.code}: ${problem.detail}`)
    this.status = problem.status
    this.code = problem.code
    this.detail = problem.detail
    this.errors = problem.errors ?? []
    this.retryAfter = problem.retryAfter ?? null
  }
}
