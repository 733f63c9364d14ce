import type { TableReading } from '../../../contract/table-reading.ts'

/** The bytes of a table, wherever they are stored. `app` makes one from a stored file. */
export interface TableSource {
  /** The owner: the time of the processes that read tables is shared between owners. */
  readonly owner: string
  /** Identifies the content: the same key always means the same bytes. A file id or a SHA-256, never a path. */
  readonly key: string
  /**
   * The file's id as known to users and programs; the same bytes may have several. Part of the provenance of an export.
   */
  readonly id?: string
  /** The file's name, a label: its extension helps to detect the format. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Where the bytes are on this machine; null when they must be fetched first. */
  readonly path: string | null
  /** How its owner wants it read; anything omitted is detected. */
  readonly reading?: TableReading | undefined
  /** All bytes. Opened when the first piece is requested, closed when the reader stops. */
  read(): AsyncIterable<Uint8Array>
}
