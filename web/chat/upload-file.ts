import type { FileEntry } from '../../contract/files.ts'
import { csrfHeader, toApiError } from '../api.ts'
import { ApiError } from '../api-error.ts'

/**
 * Uploads one file as raw bytes. `onProgress` gets the share that has left (0–1). fetch cannot tell progress, XMLHttpRequest can.
 * @throws {ApiError} when the server refuses it or there is no connection. @throws {DOMException} AbortError when aborted.
 */
export function uploadFile(file: File, onProgress: (share: number) => void, signal: AbortSignal): Promise<FileEntry> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', '/api/files')
    request.setRequestHeader('Content-Type', 'application/octet-stream')
    request.setRequestHeader('x-file-name', encodeURIComponent(file.name))
    for (const [name, value] of Object.entries(csrfHeader())) request.setRequestHeader(name, value)
    request.upload.onprogress = (event) => {
      if (event.lengthComputable && event.total > 0) onProgress(event.loaded / event.total)
    }
    request.onload = () => {
      if (request.status < 200 || request.status > 299) {
        reject(toApiError(request.status, request.responseText, request.getResponseHeader('Retry-After')))
        return
      }
      resolve((JSON.parse(request.responseText) as { file: FileEntry }).file)
    }
    request.onerror = () => reject(new ApiError({ status: 0, code: 'network', detail: '' }))
    request.onabort = () => reject(new DOMException('The upload was cancelled', 'AbortError'))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(file)
  })
}
