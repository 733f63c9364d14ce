import { type ErrorCode, type ErrorEntry, ERRORS } from '../../contract/errors.ts'
import type { Sentence } from './sentence.ts'

export interface FieldError {
  /** Path within the request, `filters.0.value`; empty for the whole request. */
  readonly path: string
  readonly message: string | Sentence
}

export interface AppErrorOptions {
  /** The invalid fields of the request, for `invalid_request`. */
  errors?: readonly FieldError[]
  /** Seconds after which a retry makes sense, in place of those of the code; becomes the Retry-After header. */
  retryAfter?: number
  /** Additional members of the problem document (RFC 9457 §3.2): ids only, never secrets. */
  extra?: Record<string, string | number | null | Record<string, string>>
  cause?: unknown
}

/**
 * The only error a feature throws deliberately. `detail` is a sentence a person can act on, translated when it is sent
 * (`message` is its English); it reaches the client, so it never contains a path, SQL or a stack. `cause` stays in the
 * log.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly detail: Sentence
  readonly errors: readonly FieldError[] | undefined
  readonly retryAfter: number | undefined
  readonly extra: Record<string, string | number | null | Record<string, string>>

  constructor(code: ErrorCode, detail: Sentence, options: AppErrorOptions = {}) {
    super(detail.toString(), options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.detail = detail
    this.errors = options.errors
    this.retryAfter = options.retryAfter ?? (ERRORS[code] as ErrorEntry).retry_s
    this.extra = options.extra ?? {}
  }
}
