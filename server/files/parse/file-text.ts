/** What a model can be told of a file, as far as it does not depend on how much room there is. */
export interface FileText {
  /** As a person is told it: `pdf`, `docx`, `table`, … */
  readonly parser: string
  readonly status: 'parsed' | 'partial' | 'unsupported' | 'failed'
  readonly text: string | null
  readonly pages?: number
  readonly sheets?: number
  /** A sentence, where there is something to say. */
  readonly detail?: string
  /** Whether it may be kept; false when another attempt may well come out better. */
  readonly lasting: boolean
}
