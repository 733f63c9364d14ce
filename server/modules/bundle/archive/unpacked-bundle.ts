import type { Manifest } from '../manifest/manifest.ts'
import type { FoundSignature } from '../signature/found-signature.ts'

/**
 * A compiled file in a bundle, recognised by its first bytes. `arch` as in `process.arch`, or the number of an unknown
 * machine.
 */
export interface NativeFile {
  readonly path: string
  readonly format: 'elf' | 'macho' | 'pe'
  readonly arch: string
}

/** What is known of a bundle once it is unpacked into a folder. */
export interface UnpackedBundle {
  /** SHA-256 of the packed bytes, signature included, in lower-case hexadecimal digits. */
  readonly digest: string
  /** Size of the packed file in bytes. */
  readonly size: number
  readonly manifest: Manifest
  readonly slug: string
  /** Path with `/` → SHA-256 of the content. */
  readonly files: Readonly<Record<string, string>>
  readonly natives: readonly NativeFile[]
  readonly signature: FoundSignature
}
