import type { TableExport } from '../../../contract/tables.ts'
import { csrfHeader, toApiError } from '../../client/api.ts'
import { ApiError } from '../../client/api-error.ts'

export interface ExportedFile {
  readonly name: string
  readonly bytes: Blob
}

/**
 * Has the server export a table as a file. `onBytes` gets the bytes received so far: the total is unknown. @throws
 * {ApiError} when the server refuses or the connection breaks. @throws {DOMException} AbortError when aborted.
 */
export async function exportTable(
  body: TableExport,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<ExportedFile> {
  try {
    const response = await fetch('/api/chat/tables/export', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...csrfHeader() },
      credentials: 'same-origin',
      body: JSON.stringify(body),
      signal,
    })
    if (!response.ok) {
      throw toApiError(response.status, await response.text(), response.headers.get('Retry-After'))
    }
    const parts: Uint8Array<ArrayBuffer>[] = []
    let count = 0
    const reader = response.body!.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      parts.push(value)
      count += value.byteLength
      onBytes(count)
    }
    const type = response.headers.get('Content-Type') ?? 'application/octet-stream'
    return { name: nameOf(response) ?? 'table', bytes: new Blob(parts, { type }) }
  } catch (error) {
    if (error instanceof ApiError || signal.aborted) throw error
    throw new ApiError({ status: 0, code: 'network', detail: '' })
  }
}

/** The name from `filename*=UTF-8''…`. */
function nameOf(response: Response): string | null {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(response.headers.get('Content-Disposition') ?? '')?.[1]
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded)
  } catch {
    return null
  }
}
