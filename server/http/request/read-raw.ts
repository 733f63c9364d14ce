import type { IncomingMessage } from 'node:http'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { tooLarge } from './read-json.ts'

const IDLE_MS = 60_000

/**
 * A request body as bytes, at most `limit` of them, read at the consumer's pace. The bytes are counted, so a body
 * without Content-Length cannot exceed the limit. Iterating throws {AppError} payload_too_large, or invalid_request
 * when nothing arrives for a minute.
 * @throws {AppError} payload_too_large at once when the announced length is too large
 */
export function readRaw(message: IncomingMessage, limit: number): AsyncIterable<Uint8Array> {
  if (Number(message.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  return counted(message, limit)
}

async function* counted(message: IncomingMessage, limit: number): AsyncGenerator<Uint8Array> {
  let size = 0
  const onIdle = () => message.destroy(new AppError('invalid_request', say`The upload stalled.`))
  let timer = setTimeout(onIdle, IDLE_MS)
  try {
    // Not destroyed when the reader stops early: the answer that explains why still has to go out on this socket.
    for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      clearTimeout(timer)
      size += chunk.length
      if (size > limit) throw tooLarge(limit)
      yield chunk
      timer = setTimeout(onIdle, IDLE_MS)
    }
  } finally {
    clearTimeout(timer)
  }
}
