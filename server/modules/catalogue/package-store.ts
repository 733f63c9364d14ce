/** The port behind which packed bundles live, by their digest. `app` fills it. */
export interface PackageStore {
  /** Stores all of `bytes`, durable when it returns. When it fails, nothing is left. */
  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Bytes; null when there is nothing under `id`. */
  size(id: string): Promise<number | null>
  read(id: string): AsyncIterable<Uint8Array>
  remove(id: string): Promise<void>
  list(cursor: string | null): Promise<{ objects: { id: string; written_at: number }[]; next: string | null }>
  removeUnfinished(before: number): Promise<number>
}

/** What an id of this store looks like: a SHA-256 in hexadecimal digits. */
export const PACKAGE_ID = /^[0-9a-f]{64}$/
