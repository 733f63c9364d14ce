import type { Sentence } from '../../kernel/sentence.ts'

/** What a model can be told about a file, as far as it doesn't depend on the space available. */
export interface FileText {
  /** As shown to the user: `pdf`, `docx`, `table`, … */
  readonly parser: string
  readonly status: 'parsed' | 'partial' | 'unsupported' | 'failed'
  readonly text: string | null
  readonly pages?: number
  readonly sheets?: number
  /** For the user, if there is anything to say. */
  readonly detail?: Sentence
  /** Whether it may be cached; false when another attempt may well succeed. */
  readonly lasting: boolean
}
