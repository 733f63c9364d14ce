import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * The signature that a request to S3 must have (AWS Signature Version 4), computed from what arrived. The server of the
 * tests takes any, so this is the check.
 */
export function expectedSignature(incoming: IncomingMessage, keys: { secret: string; region: string }): string {
  const { authorization = '', ...headers } = incoming.headers
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(authorization) ?? []
  const url = new URL(incoming.url ?? '/', 'http://s3')
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
  const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const hash = String(headers['x-amz-content-sha256'])
  const canonical = [incoming.method, url.pathname, query, signed.join(''), names, hash].join('\n')
  const time = String(headers['x-amz-date'])
  const day = time.slice(0, 8)
  const scope = [day, keys.region, 's3', 'aws4_request']
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), createHash('sha256').update(canonical).digest('hex')].join(
    '\n',
  )
  const key = scope.reduce<Buffer | string>(
    (made, part) => createHmac('sha256', made).update(part).digest(),
    `AWS4${keys.secret}`,
  )
  return createHmac('sha256', key).update(text).digest('hex')
}

export function signatureOf({ headers }: IncomingMessage): string | undefined {
  return /Signature=([0-9a-f]{64})$/.exec(headers.authorization ?? '')?.[1]
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}
