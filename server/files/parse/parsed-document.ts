import type { PackedSentence, Sentence } from '../../kernel/sentence.ts'

/** How a document is read; also the name of the parser as shown to the user. */
export type DocumentFormat = 'pdf' | 'docx' | 'odt' | 'odp' | 'pptx' | 'html' | 'eml' | 'rtf'

/** What a parser found. */
export interface DocumentText {
  /** Null when it contains no text at all, such as scanned pages. */
  readonly text: string | null
  /** False when something is missing: beyond a limit, or broken. `detail` says what. */
  readonly complete: boolean
  /** Pages or slides. */
  readonly pages?: number
  /** For the user. */
  readonly detail?: Sentence
}

export interface DocumentLimits {
  /** Characters (UTF-16 units); anything beyond isn't read. */
  readonly characters: number
  /** Milliseconds after which a parser that works page by page stops with what it has. */
  readonly soft_ms: number
}

/** The request to a parser process, followed by the bytes on its standard input. */
export interface DocumentJob {
  readonly format: DocumentFormat
  readonly limits: DocumentLimits
  /** MiB: of everything the process occupies, and of the parser's own heap. */
  readonly memory: number
  readonly heap: number
}

export type DocumentAnswer =
  | { readonly ok: true; readonly document: Omit<DocumentText, 'detail'>; readonly detail: PackedSentence | null }
  | { readonly ok: false; readonly status: 'unsupported' | 'failed'; readonly detail: PackedSentence }
