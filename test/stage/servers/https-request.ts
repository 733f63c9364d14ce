import type { IncomingHttpHeaders } from 'node:http'
import { request, type Agent } from 'node:https'
import type { TLSSocket } from 'node:tls'

export interface HttpsOptions {
  /** The only certificates that are trusted, in PEM. `anybody`: what a person does who clicks the warning away. */
  readonly trust: string | readonly string[]
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: object
  /** The host name that is asked for, where it is not that of the address. */
  readonly name?: string
  /** Keeps connections; without, each request has one of its own. */
  readonly agent?: Agent
}

export interface HttpsAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Of the certificate that the server showed; empty on a connection that was there before. */
  readonly serial: string
  /** The connection was there before. */
  readonly reused: boolean
}

/** A request over TLS with trust of one's own, which `fetch` does not have. Rejects when the connection is not trusted. */
export function httpsRequest(url: string, options: HttpsOptions): Promise<HttpsAnswer> {
  const { trust, method, headers, body, name, agent } = options
  const trusted = trust === 'anybody' ? { rejectUnauthorized: false } : { ca: [trust].flat() }
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  return new Promise((fulfil, reject) => {
    const asked = request(
      url,
      {
        ...trusted,
        method,
        agent: agent ?? false,
        headers: { ...json, ...headers },
        ...(name && { servername: name }),
      },
      (answer) => {
        const chunks: Buffer[] = []
        const serial = (answer.socket as TLSSocket).getPeerX509Certificate()?.serialNumber ?? ''
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const { statusCode: status = 0, headers: given } = answer
          fulfil({ status, headers: given, body: Buffer.concat(chunks), serial, reused: asked.reusedSocket })
        })
      },
    )
    asked.on('error', reject)
    asked.end(body && JSON.stringify(body))
  })
}

/** A certificate in DER as PEM. */
export function pemOf(der: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`
}
