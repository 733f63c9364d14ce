import type { X509Certificate } from 'node:crypto'
import type { ReadPair } from './key-pair.ts'

/** Where the server's certificate comes from, and comes from anew. */
export interface CertificateSource {
  readonly mode: 'local' | 'files'
  readonly pair: ReadPair
  /** Whom people have to trust; null where others vouch for the certificate. */
  readonly authority: X509Certificate | null
  /** Milliseconds between two calls of `refresh`. */
  readonly refreshEvery: number
  /** Looks whether it has to be another; true: `pair` is another now. Whatever fails leaves it as it is. */
  refresh(): Promise<boolean>
}
