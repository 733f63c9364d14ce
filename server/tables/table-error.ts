import type { Sentence } from '../kernel/sentence.ts'

/**
 * `unsupported`: no format that is read here; `unreadable`: not what its name says, or broken; `too_large`: beyond a limit;
 * `bad_view`: a column, operator, value or sheet that does not fit; `bad_query`: SQL that is refused or wrong; `stale`: the cached form
 * is missing or damaged, which Tables mends itself.
 */
export type TableErrorCode =
  | 'unsupported'
  | 'unreadable'
  | 'too_large'
  | 'bad_view'
  | 'bad_query'
  | 'timeout'
  | 'cancelled'
  | 'stale'
  | 'failed'

/** Why a table could not be read or asked. `detail` is a sentence that a person can act on, without paths; `message` is its English. */
export class TableError extends Error {
  override readonly name = 'TableError'
  readonly code: TableErrorCode
  readonly detail: Sentence

  constructor(code: TableErrorCode, detail: Sentence) {
    super(detail.toString())
    this.code = code
    this.detail = detail
  }
}
