import type { Sentence } from '../../kernel/sentence.ts'

/**
 * `source_not_found`: no such package, version or file. `source_refused`: what came is not what it must be, or cannot
 * become a module. `source_too_large`: a limit was reached. `source_unreachable`: the other side did not answer as it must.
 * `storage_full`: there is no room for it.
 */
export type SourceErrorCode =
  | 'source_not_found'
  | 'source_refused'
  | 'source_too_large'
  | 'source_unreachable'
  | 'storage_full'

/** Why a module could not be fetched and packed. `message` is the English of `detail`. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly code: SourceErrorCode
  readonly detail: Sentence

  constructor(code: SourceErrorCode, detail: Sentence, options?: ErrorOptions) {
    super(detail.toString(), options)
    this.code = code
    this.detail = detail
  }
}
