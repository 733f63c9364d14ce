import { csrfHeader, toApiError } from '../client/api.ts'
import { ApiError } from '../client/api-error.ts'

export interface UploadRequest {
  /** Path with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly file: File
  /** Share of the file that has been sent, 0 to 1. */
  readonly onProgress: (share: number) => void
  readonly signal: AbortSignal
}

/**
 * Posts the raw bytes of a file and resolves with the JSON response. Uses XMLHttpRequest, because fetch cannot report
 * upload progress. @throws {ApiError} when the server refuses or there is no connection. @throws {DOMException}
 * AbortError when aborted.
 */
export function sendWithProgress({ path, headers, file, onProgress, signal }: UploadRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', path)
    const all = { Accept: 'application/json', 'Content-Type': 'application/octet-stream', ...headers, ...csrfHeader() }
    for (const [name, value] of Object.entries(all)) request.setRequestHeader(name, value)
    request.upload.onprogress = (event) => {
      if (event.lengthComputable && event.total > 0) onProgress(event.loaded / event.total)
    }
    request.onload = () => {
      if (request.status < 200 || request.status > 299) {
        reject(toApiError(request.status, request.responseText, request.getResponseHeader('Retry-After')))
        return
      }
      try {
        resolve(JSON.parse(request.responseText))
      } catch {
        reject(new ApiError({ status: request.status, code: 'unexpected', detail: '' }))
      }
    }
    request.onerror = () => reject(new ApiError({ status: 0, code: 'network', detail: '' }))
    request.onabort = () => reject(new DOMException('The upload was cancelled', 'AbortError'))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(file)
  })
}
