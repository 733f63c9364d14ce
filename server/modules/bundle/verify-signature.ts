import { createHash, verify, type X509Certificate } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import type { Signature } from '../../../contract/modules.ts'
import { cut, visible } from '../../kernel/text.ts'
import { commonName, fingerprintOf, judgeSigner } from './judge-signer.ts'
import { readSignatureBlock, type SignatureBlock } from './signature-block.ts'
import type { SignedContent } from './signed-content.ts'

const CHUNK = 1024 * 1024
const LEAST_RSA_BITS = 2048

export interface CheckedSignature extends Signature {
  /** Bytes of the archive proper: where the signature block begins, or the end of the file. */
  readonly content_end: number
}

/**
 * Checks the signature at the end of a packed bundle. Trusted: the signer's certificate, or one that vouches for it, is in
 * `trustedFingerprints` (SHA-256, lower-case hexadecimal digits).
 * @throws {BundleError} `bad_archive` when there is a block that cannot be read in one way only.
 */
export async function verifySignature(
  packed: string,
  trustedFingerprints: readonly string[],
): Promise<CheckedSignature> {
  await using file = await open(packed, 'r')
  const block = await readSignatureBlock(file, (await file.stat()).size)
  return { ...(await checkSignature(file, block, trustedFingerprints)), content_end: block.contentEnd }
}

/** The same for a bundle that is open already. */
export async function checkSignature(
  file: FileHandle,
  block: SignatureBlock,
  trustedFingerprints: readonly string[],
): Promise<Signature> {
  if (block.der === null)
    return { state: 'unsigned', signer: null, fingerprint: null, detail: 'Nobody signed this bundle.' }
  // Loaded for the first signed bundle: no start has to wait for it.
  const { readSignedContent } = await import('./signed-content.ts')
  let content: SignedContent
  try {
    content = readSignedContent(block.der)
  } catch (error) {
    // A RangeError is a structure nested so deeply that it cannot be read.
    const reason =
      error instanceof Error && !(error instanceof RangeError) ? visible(error.message) : 'It cannot be read.'
    return invalid(null, `The signature is not usable. ${cut(reason, 300)}`)
  }
  const signer = content.candidates.find((candidate) => signs(candidate, content))
  if (signer === undefined)
    return invalid(content.candidates[0] ?? null, 'The signature was not made with the key of its certificate.')
  if (!(await digestsOf(file, block, content.contentAlgorithm)).some((digest) => digest.equals(content.contentDigest)))
    return invalid(signer, 'The bundle was changed after it was signed.')
  const bits = signer.publicKey.asymmetricKeyDetails?.modulusLength
  if (bits !== undefined && bits < LEAST_RSA_BITS)
    return invalid(signer, `The key of the signer has ${bits} bits; ${LEAST_RSA_BITS} are needed.`)
  const { trusted, detail } = judgeSigner(signer, content.certificates, new Set(trustedFingerprints), new Date())
  return { state: trusted ? 'trusted' : 'untrusted', ...identity(signer), detail: visible(detail) }
}

function signs(candidate: X509Certificate, content: SignedContent): boolean {
  try {
    return verify(content.signatureAlgorithm, content.signed, candidate.publicKey, content.signature)
  } catch {
    // A key of another kind than the signature.
    return false
  }
}

/** Of the bytes before the block; and where the length of the comment was enlarged after signing, of the bytes with the length before. */
async function digestsOf(
  file: FileHandle,
  { contentEnd, patched }: SignatureBlock,
  algorithm: string,
): Promise<Buffer[]> {
  const asIs = createHash(algorithm)
  const before = patched === null ? null : createHash(algorithm)
  const buffer = Buffer.allocUnsafe(CHUNK)
  for (let at = 0; at < contentEnd;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK, contentEnd - at), at)
    if (bytesRead === 0) break
    const chunk = buffer.subarray(0, bytesRead)
    asIs.update(chunk)
    if (patched !== null) {
      for (const [offset, byte] of [patched.comment & 0xff, patched.comment >> 8].entries()) {
        const place = patched.at + offset - at
        if (place >= 0 && place < bytesRead) chunk[place] = byte
      }
      before?.update(chunk)
    }
    at += bytesRead
  }
  return before === null ? [asIs.digest()] : [asIs.digest(), before.digest()]
}

function invalid(signer: X509Certificate | null, detail: string): Signature {
  return { state: 'invalid', ...(signer === null ? { signer: null, fingerprint: null } : identity(signer)), detail }
}

function identity(certificate: X509Certificate): { signer: string; fingerprint: string } {
  return { signer: cut(visible(commonName(certificate)), 200), fingerprint: fingerprintOf(certificate) }
}
