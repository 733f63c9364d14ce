/**
 * The port to wherever the bytes of stored files live. It knows ids and bytes, never names or owners: the caller has
 * already found the file's row.
 */
export interface ByteStore {
  /**
   * Stores all of `bytes` under `id`; durable once it returns. When `bytes` or the disk fails, nothing is left behind.
   */
  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Size in bytes of what is stored under `id`; null when there is nothing. */
  size(id: string): Promise<number | null>
  /**
   * At most `limit` bytes, starting at byte `from`. Opened when the first piece is requested, closed when the reader
   * stops.
   */
  read(id: string, limit?: number, from?: number): AsyncIterable<Uint8Array>
  /** Where the bytes would be on this machine, whether or not they exist; a remote store has no paths. */
  path?(id: string): string
  /** Does nothing when there is nothing under `id`. */
  remove(id: string): Promise<void>
  /** One page of the stored objects, in the store's own order; pass `next` to continue, null at the end. */
  list(cursor: string | null): Promise<{ objects: StoredObject[]; next: string | null }>
  /** Removes the remains of writes that died before `before` (epoch milliseconds); returns how many. */
  removeUnfinished(before: number): Promise<number>
}

export interface StoredObject {
  readonly id: string
  /** Epoch milliseconds of the last write. */
  readonly written_at: number
}
