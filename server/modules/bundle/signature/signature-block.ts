import type { FileHandle } from 'node:fs/promises'
import { say } from '../../../kernel/sentence.ts'
import { BundleError } from '../bundle-error.ts'

const HEADER = Buffer.from('MCPB_SIG_V1')
const FOOTER = Buffer.from('MCPB_SIG_END')
/** A signature with its certificates takes a few KiB. */
const BLOCK_LIMIT = 256 * 1024
const END_MARK = Buffer.from('PK\x05\x06', 'latin1')
const END_SIZE = 22

export interface SignatureBlock {
  /** Size of the archive proper, in bytes. */
  readonly contentEnd: number
  /** PKCS#7 in DER; null when the bundle is not signed. */
  readonly der: Buffer | null
  /**
   * Set when the length of the archive's comment was enlarged after signing so that the block passes for a comment: the
   * offset of that length, which must be read as `comment`. Null when nothing was changed.
   */
  readonly patched: { readonly at: number; readonly comment: number } | null
}

/**
 * Finds the signature at the end of a packed bundle: `[zip] MCPB_SIG_V1 [length, 32 bits, little endian] [DER]
 * MCPB_SIG_END`, with nothing after it.
 * @throws {BundleError} `bad_archive` when the end looks like a signature but isn't one, or can be read in two ways.
 */
export async function readSignatureBlock(file: FileHandle, size: number): Promise<SignatureBlock> {
  const tail = await readTail(file, size, size)
  const end = tail.length - FOOTER.length
  if (end < 0 || !tail.subarray(end).equals(FOOTER)) return { contentEnd: size, der: null, patched: null }
  const found: number[] = []
  for (let at = tail.indexOf(HEADER); at !== -1; at = tail.indexOf(HEADER, at + 1)) {
    const start = at + HEADER.length + 4
    if (start <= end && start + tail.readUInt32LE(at + HEADER.length) === end) found.push(at)
  }
  const [at] = found
  if (at === undefined)
    throw new BundleError('bad_archive', say`The signature block at the end of the bundle is damaged.`)
  if (found.length > 1)
    throw new BundleError(
      'bad_archive',
      say`The signature block at the end of the bundle can be read in more than one way.`,
    )
  const contentEnd = size - tail.length + at
  return {
    contentEnd,
    der: tail.subarray(at + HEADER.length + 4, end),
    patched: patchedComment(await readTail(file, size, contentEnd), contentEnd, size - contentEnd),
  }
}

function patchedComment(content: Buffer, contentEnd: number, block: number): SignatureBlock['patched'] {
  const at = content.lastIndexOf(END_MARK)
  if (at === -1 || at + END_SIZE > content.length) return null
  const comment = content.length - at - END_SIZE
  if (content.readUInt16LE(at + 20) !== comment + block) return null
  return { at: contentEnd - content.length + at + 20, comment }
}

async function readTail(file: FileHandle, size: number, end: number): Promise<Buffer> {
  const length = Math.min(end, BLOCK_LIMIT)
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, end - length)
  if (bytesRead !== length || end > size)
    throw new BundleError('bad_archive', say`The bundle changed while it was being read.`)
  return buffer
}
