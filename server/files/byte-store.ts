/**
 * The port behind which the bytes of stored files live. It knows ids and bytes, never names or owners: whoever calls it
 * has already found the file's row.
 */
export interface ByteStore {
  /** Stores all of `bytes` under `id`, durable when it returns. When `bytes` or the disk fails, nothing is left. */
  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Size in bytes of what is stored under `id`; null when there is nothing. */
  size(id: string): Promise<number | null>
  /** At most `limit` bytes, beginning with the byte `from`. Opened when the first piece is asked for, closed when the reader stops. */
  read(id: string, limit?: number, from?: number): AsyncIterable<Uint8Array>
  /** Where the bytes are on this machine, whether there are any or not; a store elsewhere has no paths. */
  path?(id: string): string
  /** Does nothing when there is nothing under `id`. */
  remove(id: string): Promise<void>
  /** One page of what is stored, in an order of the store's own; `next` continues, null at the end. */
  list(cursor: string | null): Promise<{ objects: StoredObject[]; next: string | null }>
  /** Removes what writes that died left behind before `before` (epoch milliseconds), and says how many. */
  removeUnfinished(before: number): Promise<number>
}

export interface StoredObject {
  readonly id: string
  /** Epoch milliseconds of the last write. */
  readonly written_at: number
}
