/** The port for copies of the data of modules. `app` fills it. */
export interface DataStore {
  /** Stores all of `bytes`, durably once it resolves. Leaves nothing behind on failure. */
  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Size in bytes; null when there is nothing under `id`. */
  size(id: string): Promise<number | null>
  read(id: string): AsyncIterable<Uint8Array>
  remove(id: string): Promise<void>
  list(cursor: string | null): Promise<{ objects: { id: string; written_at: number }[]; next: string | null }>
  removeUnfinished(before: number): Promise<number>
}

/** The form of an id in this store. */
export const DATA_ID = /^[0-9a-f]{64}$/
