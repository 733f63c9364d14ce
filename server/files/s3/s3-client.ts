import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import type { S3Address } from './s3-address.ts'
import { S3Failure } from './s3-failure.ts'
import { inPieces, piecesOf, Silence } from './silence.ts'
import { element } from './s3-xml.ts'

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Appended to the prefix of the address; omitted: the bucket itself. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
  /** Statuses that count as an answer instead of a failure, besides 2xx. */
  readonly allow?: readonly number[]
  readonly signal?: AbortSignal
}

export interface S3Timing {
  readonly attempts: number
  /** Milliseconds before the second attempt; doubled for each further one, up to 5 s. */
  readonly backoff_ms: number
  /** Milliseconds until an answer begins, connecting included; with a body, after the last of it has been taken. */
  readonly answer_ms: number
  /** Milliseconds without a byte in the middle of a transfer, in either direction. */
  readonly silence_ms: number
  /** Milliseconds without progress after which nothing is tried again: with `answer_ms`, the longest that anybody waits. */
  readonly give_up_ms: number
}

/**
 * With a timeout of 15 s, a store that is away or stalls fails a request within 30 s; a transfer that makes progress may take
 * any time.
 */
export function timingOf({ timeout }: S3Address): S3Timing {
  return {
    attempts: 5,
    backoff_ms: 200,
    answer_ms: (timeout * 2) / 3,
    silence_ms: timeout,
    give_up_ms: timeout,
  }
}

const AGAIN = [408, 429, 500, 502, 503, 504]
const LONGEST_PAUSE_MS = 5000
/** What the systems in between may have taken of a body before it is on a slow line. */
const IN_BUFFERS = 3

/** Signed requests to one bucket, retried when the store is busy, silent or briefly gone. */
export class S3Client {
  readonly address: S3Address
  readonly #timing: S3Timing
  readonly #signingKeys = new Map<string, ArrayBuffer>()

  constructor(address: S3Address, timing: S3Timing) {
    this.address = address
    this.#timing = timing
  }

  /** The whole answer as text. @throws {S3Failure} */
  async text(request: S3Request): Promise<{ status: number; headers: Headers; text: string }> {
    return this.#retry(request, async (progress) => {
      const { response, silence } = await this.#send(request, progress)
      const pieces: Uint8Array[] = []
      for await (const piece of piecesOf(response, silence)) pieces.push(piece)
      const text = Buffer.concat(pieces).toString('utf8')
      if (!response.ok && request.allow?.includes(response.status) !== true) throw failure(response.status, text)
      return { status: response.status, headers: response.headers, text }
    })
  }

  /**
   * The bytes of an answer as they arrive; null for an allowed status. Breaks off when the connection does. @throws
   * {S3Failure}
   */
  async stream(request: S3Request): Promise<AsyncGenerator<Uint8Array> | null> {
    return this.#retry(request, async (progress) => {
      const { response, silence } = await this.#send(request, progress)
      if (response.ok) return piecesOf(response, silence)
      const pieces: Uint8Array[] = []
      for await (const piece of piecesOf(response, silence)) pieces.push(piece)
      const text = Buffer.concat(pieces).toString('utf8')
      if (request.allow?.includes(response.status) === true) return null
      throw failure(response.status, text)
    })
  }

  async #retry<T>(request: S3Request, attempt: (progress: Progress) => Promise<T>): Promise<T> {
    const { attempts, backoff_ms, give_up_ms } = this.#timing
    const begun = performance.now()
    const progress: Progress = { at: 0 }
    for (let made = 1; ; made++) {
      try {
        return await attempt(progress)
      } catch (error) {
        const known = error instanceof S3Failure ? error : noAnswer(error)
        if (request.signal?.aborted === true || made >= attempts) throw known
        // A part that took minutes and then failed may be sent again; a store that stalls is not waited for again.
        if (performance.now() - Math.max(begun, progress.at) >= give_up_ms) throw known
        if (known.status !== 0 && !AGAIN.includes(known.status)) throw known
        const most = Math.min(backoff_ms * 2 ** (made - 1), LONGEST_PAUSE_MS)
        // Jittered, so that uploads that failed together don't all retry together.
        await pause(most * (0.5 + Math.random() / 2), undefined, { signal: request.signal }).catch(() => undefined)
      }
    }
  }

  async #send(request: S3Request, progress: Progress): Promise<{ response: Response; silence: Silence }> {
    const { accessKey: accessKeyId, secretKey: secretAccessKey, region } = this.address
    const { method, body = null } = request
    // With the hash, the store refuses whatever the network altered, with or without TLS.
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    const signer = new AwsV4Signer({
      method,
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
      cache: this.#signingKeys,
      url: this.#url(request),
      headers: { ...request.headers, 'x-amz-content-sha256': hash },
      body,
    })
    const signed = await signer.sign()
    // The length of a compressed body would be wrong.
    signed.headers.set('accept-encoding', 'identity')
    const { answer_ms, silence_ms } = this.#timing
    const silence = new Silence(silence_ms, request.signal)
    try {
      const { headers } = signed
      const { signal } = silence
      silence.begin(answer_ms)
      const sending = { method, headers, signal, redirect: 'manual' } as const
      if (body === null) return { response: await fetch(signed.url, sending), silence }
      headers.set('content-length', String(body.byteLength))
      const onPiece = (left: number): void => {
        progress.at = performance.now()
        silence.begin(left > 0 ? silence_ms : answer_ms * IN_BUFFERS)
      }
      const stream = inPieces(body, onPiece)
      // Needed for a stream; the browser's types, with which this is checked as well, do not know it.
      const half = { duplex: 'half' } as object
      return { response: await fetch(signed.url, { ...sending, body: stream, ...half }), silence }
    } catch (error) {
      silence.end()
      throw error
    }
  }

  #url({ key, query = {} }: S3Request): string {
    const { endpoint, bucket, prefix, pathStyle } = this.address
    const url = new URL(endpoint)
    if (!pathStyle) url.hostname = `${bucket}.${endpoint.hostname}`
    url.pathname = `${pathStyle ? `/${bucket}` : ''}${key === undefined ? '' : `/${prefix}${key}`}` || '/'
    url.search = new URLSearchParams(query).toString()
    return url.href
  }
}

function failure(status: number, text: string): S3Failure {
  const code = element(text, 'Code') ?? ''
  return new S3Failure(status, code, `The store of files answered ${status}${code === '' ? '' : ` ${code}`}.`)
}

/** When a body was last taken a piece of; 0: never. */
interface Progress {
  at: number
}

/** What a connection that failed is for whoever asked. */
export function noAnswer(error: unknown): S3Failure {
  const { cause } = error as { cause?: { code?: unknown } }
  const code = typeof cause?.code === 'string' ? cause.code : ''
  return new S3Failure(0, code, `The store of files did not answer${code === '' ? '' : ` (${code})`}.`, {
    cause: error,
  })
}
