import type { X509Certificate } from 'node:crypto'
import type { ReadPair } from './key-pair.ts'

/** Where the server's certificate comes from, and how it is renewed. */
export interface CertificateSource {
  readonly mode: 'local' | 'files'
  readonly pair: ReadPair
  /** The authority people must trust; null when others vouch for the certificate. */
  readonly authority: X509Certificate | null
  /** Milliseconds between two calls of `refresh`. */
  readonly refreshEvery: number
  /** Checks whether another certificate is due; true: `pair` has been replaced. A failure leaves it unchanged. */
  refresh(): Promise<boolean>
}
