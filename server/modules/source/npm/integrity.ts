/** Strongest first. SHA-1 is not among them: an archive of the same digest can be made. */
const ALGORITHMS = ['sha512', 'sha384', 'sha256']

/** The strongest digests of a text in the form of Subresource Integrity, in base64; null when there is none to rely on. */
export function readIntegrity(text: string): { algorithm: string; digests: string[] } | null {
  const parts = text.split(/\s+/).map((part) => /^(sha\d+)-([A-Za-z0-9+/]+={0,2})(?:\?.*)?$/.exec(part))
  for (const algorithm of ALGORITHMS) {
    const digests = parts.flatMap((part) => (part?.[1] === algorithm ? [part[2]!] : []))
    if (digests.length > 0) return { algorithm, digests }
  }
  return null
}
