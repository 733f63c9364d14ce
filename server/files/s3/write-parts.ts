import type { S3Client } from './s3-client.ts'
import { S3Failure } from './s3-failure.ts'
import { element, escape } from './s3-xml.ts'

/** Bytes of one part. Amazon takes none smaller than 5 MiB (except the last), and at most 10,000. */
const PART_SIZE = 8 * 1024 * 1024
/** Parts in flight at once; an upload may occupy memory for one more than that. */
const AT_ONCE = 3

type Bytes = Uint8Array<ArrayBuffer>

/**
 * Stores a stream of unknown length under `key`: in one request if it fits into a part, else in parts as they arrive.
 * The object appears as a whole once the last part has arrived. When `bytes` or the store fails, nothing is left
 * behind.
 */
export async function writeParts(client: S3Client, key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const parts = partsOf(bytes)
  const first = await parts.next()
  const second = first.done === true ? first : await parts.next()
  if (first.done === true || second.done === true) {
    await client.text({ method: 'PUT', key, body: first.done === true ? new Uint8Array() : first.value })
    return
  }
  const { text } = await client.text({ method: 'POST', key, query: { uploads: '' } })
  const uploadId = element(text, 'UploadId')
  if (uploadId === null) throw new S3Failure(200, '', 'The store of files began no upload.')
  const stop = new AbortController()
  const underWay = new Set<Promise<void>>()
  const tags: string[] = []
  let size = 0
  const send = (body: Bytes): void => {
    const at = tags.push('') - 1
    size += body.byteLength
    const query = { partNumber: String(at + 1), uploadId }
    const sending = client.text({ method: 'PUT', key, query, body, signal: stop.signal }).then(({ headers }) => {
      tags[at] = headers.get('etag') ?? ''
    })
    underWay.add(sending)
    // Whoever waits for it sees the failure.
    sending.then(
      () => underWay.delete(sending),
      () => undefined,
    )
  }
  try {
    send(first.value)
    send(second.value)
    for await (const part of parts) {
      while (underWay.size >= AT_ONCE) await Promise.race(underWay)
      send(part)
    }
    await Promise.all(underWay)
    await complete(client, key, { uploadId, tags, size })
  } catch (error) {
    stop.abort()
    await Promise.allSettled(underWay)
    await parts.return(undefined)
    // Best effort: the sweep finds leftovers. The first failure is the one to report.
    if (error instanceof S3Failure && error.status === 0) throw error
    await client.text({ method: 'DELETE', key, query: { uploadId }, allow: [404, 501] }).catch(() => undefined)
    throw error
  }
}

async function complete(
  client: S3Client,
  key: string,
  { uploadId, tags, size }: { uploadId: string; tags: readonly string[]; size: number },
): Promise<void> {
  const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escape(tag)}</ETag></Part>`)
  const body = Uint8Array.from(Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`))
  const answer = await client.text({ method: 'POST', key, query: { uploadId }, body, allow: [404] })
  // Amazon may discover a failure only after sending 200.
  if (answer.status !== 404 && !/<Error[\s>]/.test(answer.text)) return
  // If an earlier attempt completed the upload, the store no longer knows it.
  const head = await client.text({ method: 'HEAD', key, allow: [404] })
  if (head.status === 200 && Number(head.headers.get('content-length')) === size) return
  const code = element(answer.text, 'Code') ?? ''
  throw new S3Failure(answer.status, code, `The store of files did not complete the upload (${code}).`)
}

/** The same bytes in pieces of PART_SIZE, the last one possibly shorter. */
async function* partsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Bytes> {
  let pieces: Uint8Array[] = []
  let size = 0
  for await (let piece of bytes) {
    while (size + piece.byteLength >= PART_SIZE) {
      const room = PART_SIZE - size
      yield joined([...pieces, piece.subarray(0, room)], PART_SIZE)
      piece = piece.subarray(room)
      pieces = []
      size = 0
    }
    if (piece.byteLength === 0) continue
    pieces.push(piece)
    size += piece.byteLength
  }
  if (size > 0) yield joined(pieces, size)
}

function joined(pieces: readonly Uint8Array[], size: number): Bytes {
  const all = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.byteLength
  }
  return all
}
