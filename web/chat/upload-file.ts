import type { FileEntry } from '../../contract/files.ts'
import { sendWithProgress } from '../send-with-progress.ts'

/** Uploads one file as raw bytes. `onProgress` gets the share that has left (0–1); see sendWithProgress for what it throws. */
export async function uploadFile(
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<FileEntry> {
  const headers = { 'x-file-name': encodeURIComponent(file.name) }
  const answer = await sendWithProgress({ path: '/api/files', headers, file, onProgress, signal })
  return (answer as { file: FileEntry }).file
}
