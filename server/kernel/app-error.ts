import type { ErrorCode } from '../../contract/errors.ts'

export interface AppErrorOptions {
  /** Which fields of the request are wrong, for `invalid_request`. */
  errors?: { path: string; message: string }[]
  /** Seconds after which a retry makes sense; becomes the Retry-After header. */
  retryAfter?: number
  /** Further members of the problem document (RFC 9457 §3.2): ids only, never secrets. */
  extra?: Record<string, string | number | null>
  cause?: unknown
}

/**
 * The only error that a feature throws on purpose. `detail` is a sentence that a person can act on;
 * it reaches the client, so it never holds a path, SQL or a stack. `cause` stays in the log.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly errors: { path: string; message: string }[] | undefined
  readonly retryAfter: number | undefined
  readonly extra: Record<string, string | number | null>

  constructor(code: ErrorCode, detail: string, options: AppErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.errors = options.errors
    this.retryAfter = options.retryAfter
    this.extra = options.extra ?? {}
  }
}
