import { csrfHeader } from '../../client/api.ts'
import { ApiError } from '../../client/api-error.ts'
import type { Request } from './curl-command.ts'

/** The response. `text` is cut at SHOWN; for other than text there is `file` instead. */
export interface Received {
  readonly status: number
  readonly statusText: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly milliseconds: number
  readonly text: string
  readonly cut: boolean
  readonly file: Blob | null
  readonly mediaType: string
}

const SHOWN = 256 * 1024
const LARGEST_FILE = 128 * 1024 * 1024
const TEXTS = /^(text\/|application\/([\w.+-]*\+)?(json|xml))/

/**
 * Sends a request with this browser's session, without following redirects. `onText` receives the text of a stream so
 * far; reading stops when the stream ends, is long enough, or is aborted, and the response is what has arrived. @throws
 * {ApiError} network
 */
export async function sendRequest(
  { method, path, headers }: Request,
  body: BodyInit | undefined,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<Received> {
  const started = performance.now()
  const init: RequestInit = {
    method,
    headers: { ...(method === 'GET' ? {} : csrfHeader()), ...headers },
    credentials: 'same-origin',
    redirect: 'manual',
    signal,
  }
  if (body !== undefined) init.body = body
  const response = await fetch(path, init).catch((error: unknown) => {
    throw signal.aborted ? error : new ApiError({ status: 0, code: 'network', detail: '' })
  })
  const mediaType = response.headers.get('Content-Type') ?? ''
  const attached = /^attachment/i.test(response.headers.get('Content-Disposition') ?? '')
  const asText = !attached && (mediaType === '' || TEXTS.test(mediaType))
  const { chunks, cut } = await readBody(response, asText ? SHOWN : LARGEST_FILE, asText ? onText : null)
  const bytes = new Blob(chunks as BlobPart[], { type: mediaType })
  return {
    status: response.status,
    statusText: response.statusText,
    headers: [...response.headers],
    milliseconds: performance.now() - started,
    text: asText ? await bytes.text() : '',
    cut,
    file: asText ? null : bytes,
    mediaType,
  }
}

/** Reads at most `limit` bytes. An abort ends the reading but keeps what was read. */
async function readBody(
  response: Response,
  limit: number,
  onText: ((text: string) => void) | null,
): Promise<{ chunks: Uint8Array[]; cut: boolean }> {
  const chunks: Uint8Array[] = []
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  let size = 0
  let text = ''
  try {
    while (reader !== undefined) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(size + value.length > limit ? value.slice(0, limit - size) : value)
      size += value.length
      if (onText !== null) onText((text += decoder.decode(value, { stream: true })))
      if (size > limit) {
        await reader.cancel()
        return { chunks, cut: true }
      }
    }
    return { chunks, cut: false }
  } catch {
    return { chunks, cut: true }
  }
}
