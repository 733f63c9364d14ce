/** The location of the bucket, and the credentials. Never logged as a whole: it contains the secret key. */
export interface S3Address {
  /** Origin of the store: `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: URL
  readonly region: string
  readonly bucket: string
  /** Prepended to every key: empty, or ends in a slash. */
  readonly prefix: string
  /** Whether the bucket is the first part of the path instead of part of the host name. */
  readonly pathStyle: boolean
  readonly accessKey: string
  readonly secretKey: string
  /** Milliseconds in which nothing arrives, after which a transfer has failed. */
  readonly timeout: number
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
/** Characters that need no escaping in a URL or in XML: keys read the same in both. */
const PREFIX = /^[\w.-]+(\/[\w.-]+)*$/
const PARAMETERS = ['endpoint', 'region', 'path_style', 'timeout']
const TIMEOUT_S = 15
const LONGEST_TIMEOUT_S = 600

/**
 * Parses `s3://key:secret@bucket/prefix?endpoint=https://…&region=…&path_style=true&timeout=15`. Everything but the
 * bucket may be omitted: the endpoint is then Amazon's for the region, the region `us-east-1`, the path style that of the
 * endpoint (self-hosted stores mostly have no host name per bucket), and the timeout 15 seconds. `keys` apply when the address has none.
 * @throws {Error} with a sentence that names what is wrong, never the secret
 */
export function readS3Address(text: string, keys: { access: string; secret: string }): S3Address {
  const url = URL.parse(text)
  if (url === null || url.protocol !== 's3:') throw new Error('It must look like s3://bucket/prefix?endpoint=https://…')
  const bucket = url.hostname
  if (!BUCKET.test(bucket))
    throw new Error('The name of the bucket has 3 to 63 small letters, digits, dots and hyphens.')
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '')
  if (prefix !== '' && (!PREFIX.test(prefix) || prefix.split('/').some((part) => /^\.+$/.test(part))))
    throw new Error('The prefix may hold letters, digits, dots, hyphens, underscores and slashes.')
  for (const name of url.searchParams.keys())
    if (!PARAMETERS.includes(name)) throw new Error(`It knows endpoint, region, path_style and timeout, not ${name}.`)
  const region = url.searchParams.get('region') ?? 'us-east-1'
  if (!/^[\w-]{1,64}$/.test(region)) throw new Error('The region is not one.')
  const given = url.searchParams.get('endpoint')
  const accessKey = decodeURIComponent(url.username) || keys.access
  const secretKey = decodeURIComponent(url.password) || keys.secret
  if (accessKey === '' || secretKey === '')
    throw new Error('Set REEVE_FILES_ACCESS_KEY and REEVE_FILES_SECRET_KEY, or put both into the address before the @.')
  return {
    endpoint: endpointOf(given ?? `https://s3.${region}.amazonaws.com`),
    region,
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    pathStyle: pathStyleOf(url.searchParams.get('path_style'), given !== null),
    accessKey,
    secretKey,
    timeout: timeoutOf(url.searchParams.get('timeout') ?? String(TIMEOUT_S)),
  }
}

function endpointOf(text: string): URL {
  const url = URL.parse(text)
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.username !== ''
  )
    throw new Error('The endpoint is the address of the store alone, such as https://s3.example.com.')
  return url
}

function pathStyleOf(given: string | null, ownEndpoint: boolean): boolean {
  if (given === null) return ownEndpoint
  if (given !== 'true' && given !== 'false') throw new Error('path_style is true or false.')
  return given === 'true'
}

function timeoutOf(text: string): number {
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (seconds < 1 || seconds > LONGEST_TIMEOUT_S)
    throw new Error(`The timeout is a number of seconds from 1 to ${LONGEST_TIMEOUT_S}.`)
  return seconds * 1000
}
