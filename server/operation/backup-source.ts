import type { Snapshot } from '../db/snapshot/snapshot.ts'

/** Where stored bytes are read from. */
export interface StoredBytes {
  /** Null when there is nothing under `id`. */
  size(id: string): Promise<number | null>
  read(id: string): AsyncIterable<Uint8Array>
}

/** Everything that a backup is made of; whoever composes the program fills it. */
export interface BackupSource {
  readonly reeveVersion: string
  readonly database: 'sqlite' | 'postgres'
  /** Keeps stored bytes until it is disposed. */
  hold(): Promise<AsyncDisposable>
  snapshot(): Promise<Snapshot>
  readonly files: StoredBytes
  readonly packages: StoredBytes
  /** Folders to copy as they are, by their path below the data folder. */
  readonly folders: readonly { readonly path: string; readonly folder: string }[]
  readonly key: {
    readonly fingerprint: string
    /** What secret.key holds; null: it stays out of the backup. */ readonly text: string | null
  }
  /** Notes that a good backup was taken. */
  taken(at: number, bytes: number): Promise<void>
}

/** What goes on, for whoever waits. */
export type Progress = (step: { readonly doing: string; readonly done: number; readonly of: number | null }) => void
