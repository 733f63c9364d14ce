/** The bytes of a table, wherever they are stored. `app` makes one from a stored file. */
export interface TableSource {
  /** Names the content: the same key means the same bytes for ever. A file id or a SHA-256, never a path. */
  readonly key: string
  /** The file's id as people and programs know it; the same bytes may have several. Goes into what is told about the source. */
  readonly id?: string
  /** The file's name, a label: its ending helps to tell the format. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Where the bytes lie on this machine; null when they have to be fetched first. */
  readonly path: string | null
  /** All bytes. Opened when the first piece is asked for, closed when the reader stops. */
  read(): AsyncIterable<Uint8Array>
}
