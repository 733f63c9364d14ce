import type { Sentence } from '../../../kernel/sentence.ts'

/** A signature that is damaged or of an unsupported kind; `detail` says which. */
export class UnusableSignature extends Error {
  override readonly name = 'UnusableSignature'
  readonly detail: Sentence

  constructor(detail: Sentence) {
    super(detail.toString())
    this.detail = detail
  }
}
