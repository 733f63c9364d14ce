import type { Output } from '../../client/api-types.ts'
import { pathOf } from '../../client/api.ts'
import { sendWithProgress } from '../../uploads/send-with-progress.ts'

export type Installed = Output<'POST /api/modules/install'>

export interface ModuleUpload {
  readonly file: File
  /** Install even if a newer version is installed. */
  readonly allowDowngrade: boolean
  /** Share of the file that has been sent, 0 to 1. */
  readonly onProgress: (share: number) => void
  readonly signal: AbortSignal
}

/** Uploads a bundle for installation; see sendWithProgress for errors. */
export async function uploadModule({ file, allowDowngrade, onProgress, signal }: ModuleUpload): Promise<Installed> {
  const path = pathOf('/api/modules/install', {}, { allow_downgrade: allowDowngrade ? 'true' : undefined })
  const headers = { 'X-Module-Filename': encodeURIComponent(file.name) }
  return (await sendWithProgress({ path, headers, file, onProgress, signal })) as Installed
}
