import { say } from '../../kernel/sentence.ts'
import { SourceError } from './source-error.ts'

const MIB = 1024 * 1024

/** What one addition may take at most. */
export interface PackLimits {
  readonly packages: number
  /** Descriptions of packages that are asked for, and their bytes together. */
  readonly documents: number
  readonly documentBytes: number
  /** Bytes that are fetched, and bytes that they are unpacked. */
  readonly fetchedBytes: number
  readonly unpackedBytes: number
  readonly files: number
  /** How many folders `node_modules` may be inside one another. */
  readonly depth: number
  readonly time_ms: number
}

export const PACK_LIMITS: PackLimits = {
  packages: 1000,
  documents: 3000,
  documentBytes: 128 * MIB,
  fetchedBytes: 256 * MIB,
  unpackedBytes: 512 * MIB,
  files: 50_000,
  depth: 12,
  time_ms: 10 * 60_000,
}

export function tooMuch({ packages, files, fetchedBytes, unpackedBytes }: PackLimits): SourceError {
  return new SourceError(
    'source_too_large',
    say`It is more than a module may have: ${packages} packages, ${files} files, ${fetchedBytes / MIB} MiB to fetch and ${unpackedBytes / MIB} MiB unpacked.`,
  )
}
