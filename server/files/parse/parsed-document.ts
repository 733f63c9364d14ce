/** How a document is read; also the name of the parser that a person is told. */
export type DocumentFormat = 'pdf' | 'docx' | 'odt' | 'odp' | 'pptx' | 'html' | 'eml' | 'rtf'

/** What a parser found. */
export interface DocumentText {
  /** Null when there is no text in it at all, as in scanned pages. */
  readonly text: string | null
  /** False when something is missing: beyond a limit, or broken. `detail` says what. */
  readonly complete: boolean
  /** Pages or slides. */
  readonly pages?: number
  /** A sentence for a person. */
  readonly detail?: string
}

export interface DocumentLimits {
  /** Characters (UTF-16 units); what is beyond is not read. */
  readonly characters: number
  /** Milliseconds after which a parser that goes page by page stops with what it has. */
  readonly soft_ms: number
}

/** What a parser process is asked, ahead of the bytes on its standard input. */
export interface DocumentJob {
  readonly format: DocumentFormat
  readonly limits: DocumentLimits
  /** MiB: of everything the process occupies, and of the parser's own heap. */
  readonly memory: number
  readonly heap: number
}

export type DocumentAnswer =
  | { readonly ok: true; readonly document: DocumentText }
  | { readonly ok: false; readonly status: 'unsupported' | 'failed'; readonly message: string }
