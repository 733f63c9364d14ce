/** What a bundle was made of: enough to fetch the very same packages again. In the bundle as `reeve-lock.json`. */
export interface NpmLock {
  readonly format: 1
  readonly kind: 'npm'
  readonly name: string
  /** The version or range that was asked for, and the version it meant. */
  readonly range: string
  readonly version: string
  readonly registry: string
  /** In the order in which they were chosen; the first one is what was asked for. */
  readonly packages: readonly LockedPackage[]
}

export interface LockedPackage {
  readonly path: string
  readonly name: string
  readonly version: string
  /** Without a query, which may hold a key. */
  readonly resolved: string
  /** Subresource Integrity; the archive was compared with it. */
  readonly integrity: string
  readonly optional?: true
  /** The scripts that npm would run after unpacking it. They were not run. */
  readonly scripts?: readonly string[]
}

export const LOCK_FILE = 'reeve-lock.json'
