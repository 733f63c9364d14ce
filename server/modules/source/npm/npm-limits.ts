const MIB = 1024 * 1024

/** What one addition may take at most. */
export interface NpmLimits {
  readonly packages: number
  /** Bytes that are fetched, and bytes that they are unpacked. */
  readonly fetchedBytes: number
  readonly unpackedBytes: number
  readonly files: number
  /** How many folders `node_modules` may be inside one another. */
  readonly depth: number
  readonly time_ms: number
}

export const NPM_LIMITS: NpmLimits = {
  packages: 1000,
  fetchedBytes: 256 * MIB,
  unpackedBytes: 512 * MIB,
  files: 50_000,
  depth: 12,
  time_ms: 10 * 60_000,
}
