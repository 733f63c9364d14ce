import { z } from 'zod'
import { json, route } from './route.ts'
import { Timestamp } from './values.ts'

/** `local`: by this installation's own authority. `files`: by a certificate from the operator. `off`: plain HTTP. */
export const TlsMode = z.enum(['local', 'files', 'off'])
export type TlsMode = z.infer<typeof TlsMode>

/**
 * The authority whose certificate people import. `fingerprint_sha256`: pairs of upper-case hexadecimal digits separated
 * by `:`.
 */
export const CertificateAuthority = z.strictObject({
  subject: z.string(),
  fingerprint_sha256: z.string().regex(/^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/),
  not_before: Timestamp,
  not_after: Timestamp,
})
export type CertificateAuthority = z.infer<typeof CertificateAuthority>

/** The certificate that the server presents to browsers. `names`: the host names and addresses it is valid for. */
export const ServerCertificate = z.strictObject({
  subject: z.string(),
  names: z.array(z.string()),
  not_after: Timestamp,
})
export type ServerCertificate = z.infer<typeof ServerCertificate>

export const CertificateState = z.strictObject({
  tls: TlsMode,
  /** Only with `local`. */
  ca: CertificateAuthority.nullable(),
  /** Null when `tls` is `off`. */
  server: ServerCertificate.nullable(),
})
export type CertificateState = z.infer<typeof CertificateState>

export const certificates = {
  page: route({
    method: 'GET',
    path: '/certificate',
    summary: 'Leads to the page about the local certificate',
    access: 'session',
    response: { kind: 'redirect', status: 303 },
    errors: [],
  }),
  download: route({
    method: 'GET',
    path: '/certificate/download',
    summary: 'The certificate of the local authority in DER, to be imported where this service is to be trusted',
    access: 'session',
    response: { kind: 'file', disposition: 'attachment', cache: 'no-store' },
    errors: ['certificate_missing'],
  }),
  state: route({
    method: 'GET',
    path: '/api/certificate',
    summary: 'How connections to this service are encrypted, and by which certificates',
    access: 'session',
    response: json(CertificateState),
    errors: [],
  }),
}
