/** The port for storing packed bundles. `app` fills it. Only the sweep of objects removes what rows have named. */
export interface PackageStore {
  /** Stores all of `bytes`, durably once it resolves. Leaves nothing behind on failure. */
  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Size in bytes; null when there is nothing under `id`. */
  size(id: string): Promise<number | null>
  read(id: string): AsyncIterable<Uint8Array>
  remove(id: string): Promise<void>
  list(cursor: string | null): Promise<{ objects: { id: string; written_at: number }[]; next: string | null }>
  removeUnfinished(before: number): Promise<number>
}

/** The form of a digest: a SHA-256 in hexadecimal digits. */
export const PACKAGE_DIGEST = /^[0-9a-f]{64}$/

/**
 * The form of an id in this store: the digest of the bundle and, since every storing makes an object of its own, a random
 * part. Packages stored before that have only the digest.
 */
export const PACKAGE_ID = /^[0-9a-f]{64}(-[0-9a-f]{16})?$/
