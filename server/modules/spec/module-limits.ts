/** What an installation sets for all modules. */
export interface ModuleLimits {
  /** Bytes of a bundle, and of all its files. */
  readonly packedBytes: number
  readonly unpackedBytes: number
  /** How long a start may take. */
  readonly start_ms: number
}
