import type { FileEntry } from '../../contract/files.ts'
import { refuseLarge } from './refuse-large.ts'
import { sendWithProgress } from './send-with-progress.ts'

/**
 * Uploads one file as raw bytes. `onProgress` gets the share that has been sent (0–1); see sendWithProgress for errors.
 */
export async function uploadFile(
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<FileEntry> {
  await refuseLarge(file, signal)
  const headers = { 'x-file-name': encodeURIComponent(file.name) }
  const answer = await sendWithProgress({ path: '/api/files', headers, file, onProgress, signal })
  return (answer as { file: FileEntry }).file
}
