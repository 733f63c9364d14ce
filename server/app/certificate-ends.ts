import type { Certificates } from '../certificates/certificates.ts'

/** When the certificate expires that is not renewed automatically: the authority's, or the given one. */
export function certificateEnds({ source }: Certificates): number | null {
  if (source === null) return null
  return (source.authority ?? source.pair.certificate).validToDate.getTime()
}
