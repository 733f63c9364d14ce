import { createHash, verify, type X509Certificate } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import type { FoundSignature } from './found-signature.ts'
import { fingerprintOf, judgeSigner, shownName } from './judge-signer.ts'
import { readSignatureBlock, type SignatureBlock } from './signature-block.ts'
import type { SignedContent } from './signed-content.ts'
import { UnusableSignature } from './unusable-signature.ts'

const CHUNK = 1024 * 1024
const LEAST_RSA_BITS = 2048

export interface CheckedSignature extends FoundSignature {
  /** Size of the archive proper in bytes: where the signature block begins, or the end of the file. */
  readonly content_end: number
}

/**
 * Checks the signature at the end of a packed bundle. Trusted: the signer's certificate, or one that vouches for it, is
 * in `trustedFingerprints` (SHA-256, lower-case hexadecimal digits).
 * @throws {BundleError} `bad_archive` when there is a block that is damaged or can be read in more than one way.
 */
export async function verifySignature(
  packed: string,
  trustedFingerprints: readonly string[],
): Promise<CheckedSignature> {
  await using file = await open(packed, 'r')
  const block = await readSignatureBlock(file, (await file.stat()).size)
  return { ...(await checkSignature(file, block, trustedFingerprints)), content_end: block.contentEnd }
}

/** The same for a bundle that is already open. */
export async function checkSignature(
  file: FileHandle,
  block: SignatureBlock,
  trustedFingerprints: readonly string[],
): Promise<FoundSignature> {
  if (block.der === null)
    return { state: 'unsigned', signer: null, fingerprint: null, detail: say`This bundle is not signed.` }
  // Loaded with the first signed bundle, so that startup doesn't wait for it.
  const { readSignedContent } = await import('./signed-content.ts')
  let content: SignedContent
  try {
    content = readSignedContent(block.der)
  } catch (error) {
    // Anything else is damage that the parser stumbled over: a structure nested too deeply ends as a RangeError.
    const reason = error instanceof UnusableSignature ? error.detail : say`It cannot be read.`
    return invalid(null, say`The signature is not usable. ${reason}`)
  }
  const signer = content.candidates.find((candidate) => signs(candidate, content))
  if (signer === undefined)
    return invalid(content.candidates[0] ?? null, say`The signature was not made with the key of its certificate.`)
  if (!(await digestsOf(file, block, content.contentAlgorithm)).some((digest) => digest.equals(content.contentDigest)))
    return invalid(signer, say`The bundle was changed after it was signed.`)
  const bits = signer.publicKey.asymmetricKeyDetails?.modulusLength
  if (bits !== undefined && bits < LEAST_RSA_BITS)
    return invalid(signer, say`The signer’s key has ${bits} bits; at least ${LEAST_RSA_BITS} are required.`)
  const { trusted, detail } = judgeSigner(signer, content.certificates, new Set(trustedFingerprints), new Date())
  return { state: trusted ? 'trusted' : 'untrusted', ...identity(signer), detail }
}

function signs(candidate: X509Certificate, content: SignedContent): boolean {
  try {
    return verify(content.signatureAlgorithm, content.signed, candidate.publicKey, content.signature)
  } catch {
    // The key is of a different kind than the signature.
    return false
  }
}

/**
 * The digest of the bytes before the block and, when the comment's length was enlarged after signing, also with the
 * original length.
 */
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

function invalid(signer: X509Certificate | null, detail: Sentence): FoundSignature {
  return { state: 'invalid', ...(signer === null ? { signer: null, fingerprint: null } : identity(signer)), detail }
}

function identity(certificate: X509Certificate): { signer: string; fingerprint: string } {
  return { signer: shownName(certificate), fingerprint: fingerprintOf(certificate) }
}
