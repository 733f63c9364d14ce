import type { Sentence } from '../../kernel/sentence.ts'

/**
 * `unsupported`: not a format that is read here; `unreadable`: not what its name says, or broken; `too_large`: beyond a
 * limit; `no_sheet`: there is no sheet of the given name; `bad_view`: a column, operator or value that doesn't fit;
 * `bad_query`: SQL that is refused or wrong; `stale`: the cached form is missing or damaged, which Tables repairs
 * itself; `busy`: it waited too long for its turn.
 */
export type TableErrorCode =
  | 'unsupported'
  | 'unreadable'
  | 'too_large'
  | 'no_sheet'
  | 'bad_view'
  | 'bad_query'
  | 'timeout'
  | 'busy'
  | 'cancelled'
  | 'stale'
  | 'failed'

/**
 * Why a table could not be read or queried. `detail` is a sentence that the user can act on, without paths; `message`
 * is its English.
 */
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
