import type { Output } from '../api-types.ts'
import { csrfHeader, pathOf, toApiError } from '../api.ts'
import { ApiError } from '../api-error.ts'

export type Installed = Output<'POST /api/modules/install'>

export interface Upload {
  readonly file: File
  /** Take it, although a newer version is installed. */
  readonly allowDowngrade: boolean
  /** Share of the file that has left, 0 to 1. */
  readonly onProgress: (share: number) => void
  readonly signal: AbortSignal
}

/**
 * Sends a bundle to be installed. fetch cannot tell progress, XMLHttpRequest can.
 * @throws {ApiError} when the server refuses it or there is no connection. @throws {DOMException} AbortError when aborted.
 */
export function uploadModule({ file, allowDowngrade, onProgress, signal }: Upload): Promise<Installed> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', pathOf('/api/modules/install', {}, { allow_downgrade: allowDowngrade ? 'true' : undefined }))
    request.setRequestHeader('Accept', 'application/json')
    request.setRequestHeader('Content-Type', 'application/octet-stream')
    request.setRequestHeader('X-Module-Filename', encodeURIComponent(file.name))
    for (const [name, value] of Object.entries(csrfHeader())) request.setRequestHeader(name, value)
    request.upload.onprogress = (event) => {
      if (event.lengthComputable && event.total > 0) onProgress(event.loaded / event.total)
    }
    request.onload = () => {
      if (request.status < 200 || request.status > 299) {
        reject(toApiError(request.status, request.responseText, request.getResponseHeader('Retry-After')))
        return
      }
      try {
        resolve(JSON.parse(request.responseText) as Installed)
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
