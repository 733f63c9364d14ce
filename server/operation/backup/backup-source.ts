import type { Snapshot } from '../../db/snapshot/snapshot.ts'

/** Where stored bytes are read from. */
export interface StoredBytes {
  /** Null when there is nothing under `id`. */
  size(id: string): Promise<number | null>
  read(id: string): AsyncIterable<Uint8Array>
}

/** Everything a backup is made of, supplied by the program's composition root. */
export interface BackupSource {
  readonly reeveVersion: string
  readonly database: 'sqlite' | 'postgres'
  /** Keeps stored bytes until it is disposed. */
  hold(): Promise<AsyncDisposable>
  snapshot(): Promise<Snapshot>
  readonly files: StoredBytes
  readonly packages: StoredBytes
  /** Folders to copy verbatim, by their path below the data folder. */
  readonly folders: readonly { readonly path: string; readonly folder: string }[]
  readonly key: {
    readonly fingerprint: string
    /** What secret.key holds; null: it stays out of the backup. */ readonly text: string | null
  }
  /** Records that a backup succeeded. */
  taken(at: number, bytes: number, file: string): Promise<void>
}

/** Reports progress to whoever is waiting. */
export type Progress = (step: { readonly doing: string; readonly done: number; readonly of: number | null }) => void
