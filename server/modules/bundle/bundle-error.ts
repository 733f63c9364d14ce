import type { Sentence } from '../../kernel/sentence.ts'

export type BundleErrorCode = 'bad_archive' | 'bad_manifest' | 'archive_too_large' | 'payload_too_large'

/**
 * Why a bundle is refused: `detail` names the entry or the key of the manifest, and the reason; `message` is its
 * English.
 */
export class BundleError extends Error {
  override readonly name = 'BundleError'
  readonly code: BundleErrorCode
  readonly detail: Sentence
  /** Path of the offending entry, escaped for display; undefined when the archive as a whole is at fault. */
  readonly entry: string | undefined

  constructor(code: BundleErrorCode, detail: Sentence, entry?: string) {
    super(detail.toString())
    this.code = code
    this.detail = detail
    this.entry = entry
  }
}
