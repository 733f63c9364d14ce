import { createPrivateKey } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { makeAuthority, makeServerCertificate } from '../../../server/certificates/make-certificate.ts'
import { freePort } from '../servers/free-port.ts'

const DAY = 86_400_000

export interface HttpsPlace extends AsyncDisposable {
  readonly url: string
  /** Settings of a service that is reached there. */
  readonly env: Record<string, string>
}

/** An address of https on this machine, with a certificate of an authority that this process trusts from now on. */
export async function openHttpsPlace(): Promise<HttpsPlace> {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-https-'))
  const now = Date.now()
  const time = { from: now - DAY, to: now + 10 * DAY }
  const authority = await makeAuthority('A company', time)
  const pair = await makeServerCertificate(['127.0.0.1', 'localhost'], time, {
    privateKey: createPrivateKey(authority.key),
    certificate: Buffer.from(authority.cert.replace(/-----.*-----|\n/g, ''), 'base64'),
  })
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  await writeFile(cert, pair.cert + authority.cert)
  await writeFile(key, pair.key)
  setDefaultCACertificates([...getCACertificates('default'), authority.cert])
  const port = String(await freePort())
  const url = `https://127.0.0.1:${port}`
  return {
    url,
    env: {
      REEVE_PORT: port,
      REEVE_PUBLIC_URL: url,
      REEVE_TLS: 'files',
      REEVE_TLS_CERT: cert,
      REEVE_TLS_KEY: key,
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
