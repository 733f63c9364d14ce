import type { IncomingMessage } from 'node:http'
import { isUtf8 } from 'node:buffer'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { parseExactJson } from '../../kernel/text/exact-json.ts'
import { isTooDeep, JSON_DEPTH } from '../../kernel/text/json-depth.ts'

const JSON_LIMIT = 1024 * 1024
const DEADLINE_MS = 30_000

/**
 * Reads a JSON body of at most `limit` bytes, usually 1 MiB. `undefined` when there is no body. With `untyped` the
 * content type may be missing or mean arbitrary bytes; with `exact` integers beyond 2^53 keep their digits, as text.
 * @throws {AppError} unsupported_media_type, payload_too_large, malformed_json, invalid_request
 */
export async function readJson(
  message: IncomingMessage,
  { limit = JSON_LIMIT, untyped = false, exact = false }: { limit?: number; untyped?: boolean; exact?: boolean } = {},
): Promise<unknown> {
  const { headers } = message
  const length = headers['content-length']
  if (headers['transfer-encoding'] === undefined && (length === undefined || Number(length) === 0)) return undefined
  if (
    !isJson(untyped ? typeOrJson(headers['content-type']) : headers['content-type']) ||
    (headers['content-encoding'] ?? 'identity') !== 'identity'
  ) {
    throw new AppError('unsupported_media_type', say`Send the body as application/json in UTF-8, uncompressed.`)
  }
  if (length !== undefined && Number(length) > limit) throw tooLarge(limit)
  const bytes = await collect(message, limit)
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw new AppError('malformed_json', say`The body is not UTF-8 text.`)
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = (exact ? parseExactJson : JSON.parse)(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch (cause) {
    throw new AppError('malformed_json', say`The body is not valid JSON.`, { cause })
  }
  if (isTooDeep(value)) {
    throw new AppError('invalid_request', say`The body is nested more than ${JSON_DEPTH} levels deep.`, {
      errors: [{ path: '', message: 'Nested too deep' }],
    })
  }
  if (MAY_POLLUTE.test(text)) refusePollution(value)
  return value
}

export function tooLarge(limit: number): AppError {
  const size = limit >= 1024 * 1024 ? `${Math.floor(limit / 1024 / 1024)} MiB` : `${limit} bytes`
  return new AppError('payload_too_large', say`The body is larger than the ${size} allowed here.`, { extra: { limit } })
}

/** A missing type, or one that only means bytes, is taken as JSON. */
function typeOrJson(type: string | undefined): string {
  return type === undefined || type === 'application/octet-stream' ? 'application/json' : type
}

function isJson(type: string | undefined): boolean {
  if (type === 'application/json') return true
  if (type === undefined) return false
  const [media = '', ...parameters] = type.toLowerCase().split(';')
  if (media.trim() !== 'application/json') return false
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=')
    return name.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim())
  })
}

/** Listeners rather than `for await`: leaving an async iteration early would destroy the socket before the answer. */
function collect(message: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const timer = setTimeout(
      () => fail(new AppError('malformed_json', say`The body did not arrive in time.`)),
      DEADLINE_MS,
    )
    const settle = () => {
      clearTimeout(timer)
      message.off('data', onData).off('end', onEnd).off('error', fail).off('close', onClose)
    }
    const fail = (error: Error) => {
      settle()
      reject(error)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) fail(tooLarge(limit))
      else chunks.push(chunk)
    }
    const onEnd = () => {
      settle()
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size))
    }
    const onClose = () => fail(new Error('the connection closed within the body'))
    message.on('data', onData).on('end', onEnd).on('error', fail).on('close', onClose)
  })
}

// Also catches escaped spellings: any such escape triggers the walk below.
const MAY_POLLUTE = /__proto__|"constructor"|\\u00/

/** Refuses keys that a careless merge would turn into a changed prototype of every object. */
function refusePollution(root: unknown): void {
  const open: unknown[] = [root]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value === null || typeof value !== 'object') continue
    const inner = Object.hasOwn(value, 'constructor') ? (value as { constructor: unknown }).constructor : null
    const nested = inner !== null && typeof inner === 'object' && Object.hasOwn(inner, 'prototype')
    if (Object.hasOwn(value, '__proto__') || nested) {
      const path = nested ? 'constructor.prototype' : '__proto__'
      throw new AppError('invalid_request', say`The key ${path} is not allowed.`, {
        errors: [{ path, message: 'This key is not allowed' }],
      })
    }
    for (const item of Object.values(value)) if (item !== undefined && item !== null) open.push(item)
  }
}
