/** The port through which a table in a file is looked into. The table engine implements it, `app` fills it. */
export interface TablePort {
  /** All sheets with their columns and numbers of rows. For a large file this may take minutes. @throws an Error with a sentence */
  describe(source: PortSource, signal?: AbortSignal): Promise<PortDescription>
  /** The first rows at once. `total_rows` is null where the rows were not counted. @throws an Error with a sentence */
  preview(
    source: PortSource,
    request: { sheet?: string | undefined; rows: number },
    signal?: AbortSignal,
  ): Promise<PortPreview>
}

export interface PortSource {
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
    readonly notices: readonly string[]
  }[]
}

export interface PortPreview {
  readonly sheets: readonly string[]
  readonly sheet: string
  readonly columns: readonly PortColumn[]
  readonly rows: readonly Readonly<Record<string, string | number | boolean | null>>[]
  readonly total_rows: number | null
  readonly notices: readonly string[]
}
