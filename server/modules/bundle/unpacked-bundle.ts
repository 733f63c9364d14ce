import type { Signature } from '../../../contract/modules.ts'
import type { Manifest } from './manifest.ts'

/** A program in machine code inside a bundle, told by its first bytes. `arch` as in `process.arch`, or a number that nobody knows. */
export interface NativeFile {
  readonly path: string
  readonly format: 'elf' | 'macho' | 'pe'
  readonly arch: string
}

/** What is known of a bundle once it lies unpacked in a folder. */
export interface UnpackedBundle {
  /** SHA-256 of the packed bytes, signature included, in lower-case hexadecimal digits. */
  readonly digest: string
  /** Bytes of the packed file. */
  readonly size: number
  readonly manifest: Manifest
  readonly slug: string
  /** Path with `/` → SHA-256 of the content. */
  readonly files: Readonly<Record<string, string>>
  readonly natives: readonly NativeFile[]
  readonly signature: Signature
}
