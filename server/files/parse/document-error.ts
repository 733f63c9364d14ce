import type { Sentence } from '../../kernel/sentence.ts'

/**
 * Why a document could not be read: `unsupported` is a kind that isn't read here, `failed` a broken or hostile document. `detail` is for
 * the user; `message` is its English.
 */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
  readonly status: 'unsupported' | 'failed'
  readonly detail: Sentence
  /** False when the next attempt may well succeed. */
  readonly lasting: boolean

  constructor(status: 'unsupported' | 'failed', detail: Sentence, lasting = true) {
    super(detail.toString())
    this.status = status
    this.detail = detail
    this.lasting = lasting
  }
}
