export type BundleErrorCode = 'bad_archive' | 'bad_manifest' | 'archive_too_large' | 'payload_too_large'

/** Why a bundle is refused: a sentence that names the entry or the key of the manifest, and the reason. */
export class BundleError extends Error {
  override readonly name = 'BundleError'
  readonly code: BundleErrorCode
  /** Path of the archive's entry that is to blame, made visible; undefined when it is the archive as a whole. */
  readonly entry: string | undefined

  constructor(code: BundleErrorCode, message: string, entry?: string) {
    super(message)
    this.code = code
    this.entry = entry
  }
}
