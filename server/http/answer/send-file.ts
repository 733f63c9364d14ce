import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { FileAnswer, FileResponse } from '../../../contract/route.ts'
import { rangeOf } from '../request/range.ts'
import { INLINE_FILE_POLICY, INLINE_PDF_POLICY, PRIVATE } from './security-headers.ts'

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/

/**
 * Sends bytes with their headers, or the requested part of them. A source that is shorter or longer than announced
 * visibly breaks the connection.
 */
export function sendFile(
  reply: FastifyReply,
  answer: FileAnswer,
  { disposition, cache }: FileResponse,
  failed: (error: unknown) => void,
): FastifyReply {
  const type = MEDIA_TYPE.test(answer.media_type) ? answer.media_type : 'application/octet-stream'
  const range = answer.part === undefined || answer.size === null ? null : rangeOf(reply, answer.size)
  const length = range?.length ?? answer.size
  reply
    .header('content-type', type)
    .header('content-disposition', contentDisposition(disposition, answer.name))
    .header('cache-control', cache ?? PRIVATE)
  if (length !== null) reply.header('content-length', String(length))
  if (disposition === 'inline') {
    reply.header('x-frame-options', 'SAMEORIGIN')
    reply.header('content-security-policy', type === 'application/pdf' ? INLINE_PDF_POLICY : INLINE_FILE_POLICY)
  }
  const source = range === null ? answer.stream : answer.part!(range.from, range.length)
  const bytes = Readable.from(length === null ? source : exactly(length, source), { objectMode: false })
  if (reply.request.method === 'HEAD') {
    release(answer.stream).catch(failed)
    return reply.send(null)
  }
  // A failure before the first byte still becomes a problem document; later the client only sees a broken connection.
  bytes.once('error', (error) => reply.raw.headersSent && failed(error))
  return reply.send(bytes)
}

async function* exactly(size: number, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let sent = 0
  for await (const chunk of source) {
    sent += chunk.byteLength
    if (sent > size) break
    yield chunk
  }
  if (sent !== size) throw new Error(`a file of ${size} bytes gave ${sent > size ? 'more' : sent}`)
}

/** Closes a stream that will not be read, releasing what it holds open. */
async function release(source: FileAnswer['stream']): Promise<void> {
  if (source instanceof ReadableStream) await source.cancel()
  else if (source instanceof Readable) source.destroy()
  else await source[Symbol.asyncIterator]().return?.()
}

/** RFC 6266: a name every client can store, and the real one for clients that support `filename*`. */
export function contentDisposition(disposition: 'inline' | 'attachment', name: string): string {
  const clean = name.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/gu, '_') || 'file'
  const plain = clean
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]|["%]/gu, '_')
  // A name made only of combining marks leaves nothing.
  const ascii = plain || 'file'
  const encoded = encodeURIComponent(clean).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${disposition}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
