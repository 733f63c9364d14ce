/** A key or a certificate that cannot be used; the message is the one sentence that the operator reads. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError'
}
