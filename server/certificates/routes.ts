import type { certificates as contract, CertificateState } from '../../contract/certificates.ts'
import type { Handlers } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { bytesAnswer } from '../kernel/bytes-answer.ts'
import { say } from '../kernel/sentence.ts'
import { certificateNames, subjectOf } from './certificate-names.ts'
import type { CertificateSource } from './certificate-source.ts'

/** The handlers of /certificate and related routes; `source` is null without TLS. */
export function certificateRoutes(source: CertificateSource | null): Handlers<typeof contract> {
  return {
    page: () => ({ location: '/help/certificates' }),
    download: () => {
      const authority = source?.authority
      if (!authority)
        throw new AppError(
          'certificate_missing',
          say`This service has no local certificate to import: it runs behind a proxy, or with a certificate issued by another authority.`,
        )
      return bytesAnswer('Service-Local-CA.cer', 'application/pkix-cert', authority.raw)
    },
    state: () => stateOf(source),
  }
}

function stateOf(source: CertificateSource | null): CertificateState {
  if (source === null) return { tls: 'off', ca: null, server: null }
  const { mode, authority, pair } = source
  return {
    tls: mode,
    ca: authority && {
      subject: subjectOf(authority),
      fingerprint_sha256: authority.fingerprint256,
      not_before: authority.validFromDate.toISOString(),
      not_after: authority.validToDate.toISOString(),
    },
    server: {
      subject: subjectOf(pair.certificate),
      names: certificateNames(pair.certificate),
      not_after: pair.certificate.validToDate.toISOString(),
    },
  }
}
