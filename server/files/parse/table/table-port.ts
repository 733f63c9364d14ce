import type { Sentence } from '../../../kernel/sentence.ts'

/** The port for looking into a table in a file. The table engine implements it, `app` fills it. */
export interface TablePort {
  /** All sheets with their columns and row counts. For a large file this may take minutes. @throws {PortError} */
  describe(source: PortSource, signal?: AbortSignal): Promise<PortDescription>
  /** The first rows, immediately. `total_rows` is null if the rows were not counted. @throws {PortError} */
  preview(
    source: PortSource,
    request: { sheet?: string | undefined; rows: number },
    signal?: AbortSignal,
  ): Promise<PortPreview>
}

export interface PortSource {
  readonly owner: string
  readonly key: string
  readonly name: string
  readonly size: number
  readonly path: string | null
  read(): AsyncIterable<Uint8Array>
}

export interface PortColumn {
  readonly key: string
  readonly label: string
  readonly type: string
}

export interface PortDescription {
  readonly sheets: readonly {
    readonly name: string
    readonly rows: number
    readonly columns: readonly PortColumn[]
    readonly notices: readonly Sentence[]
  }[]
}

export interface PortPreview {
  readonly sheets: readonly string[]
  readonly sheet: string
  readonly columns: readonly PortColumn[]
  readonly rows: readonly Readonly<Record<string, string | number | boolean | null>>[]
  readonly total_rows: number | null
  readonly notices: readonly Sentence[]
}

/** What the table engine throws about a file, under the name `TableError`. */
export interface PortError {
  readonly code: string
  readonly detail: Sentence
}
