import { useQuery } from '@tanstack/react-query'
import type { FileEntry } from '../../contract/files.ts'
import { pathOf, toApiError } from '../client/api.ts'
import { ApiError } from '../client/api-error.ts'
import { formatBytes } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'

/** Number of bytes shown. */
const START = 128 * 1024

/** The beginning of a text file, unformatted. */
export function TextStart({ file }: { readonly file: FileEntry }) {
  const query = useQuery({
    queryKey: ['files', 'text', file.file_id],
    queryFn: ({ signal }) => readStart(file.file_id, signal),
    staleTime: Infinity,
    gcTime: 60_000,
  })
  return (
    <QueryView
      query={query}
      failed={t('files.preview_failed')}
      loading={
        <div className="p-4">
          <SkeletonRows rows={6} className="h-5" />
        </div>
      }
    >
      {(text) => (
        <>
          <pre
            tabIndex={0}
            aria-label={file.name}
            className="min-h-0 flex-1 overflow-auto p-4 text-sm leading-5 wrap-anywhere whitespace-pre-wrap focus-visible:-outline-offset-2"
          >
            {text}
          </pre>
          {file.size > START && (
            <p className="border-line text-muted border-t px-4 py-1.5 text-sm">
              {t('files.text_start', { shown: formatBytes(START), size: formatBytes(file.size) })}
            </p>
          )}
        </>
      )}
    </QueryView>
  )
}

/** Stops reading once there is enough, so that a large file costs no more than a small one. */
async function readStart(fileId: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(pathOf('/api/files/{file_id}/download', { file_id: fileId }), { signal }).catch(
    (error: unknown) => {
      throw signal.aborted ? error : new ApiError({ status: 0, code: 'network', detail: '' })
    },
  )
  if (!response.ok) throw toApiError(response.status, await response.text())
  const reader = response.body!.getReader()
  const parts: Uint8Array<ArrayBuffer>[] = []
  for (let count = 0; count < START;) {
    const { done, value } = await reader.read()
    if (done) break
    parts.push(value)
    count += value.byteLength
  }
  void reader.cancel()
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer()).subarray(0, START)
  return decode(bytes)
}

/** Decodes by the byte order mark if present; otherwise as UTF-8, and as Windows-1252 when it is not valid UTF-8. */
function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    // The last character may be cut off.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
