import type { Output } from '../api-types.ts'
import { pathOf } from '../api.ts'
import { sendWithProgress } from '../send-with-progress.ts'

export type Installed = Output<'POST /api/modules/install'>

export interface Upload {
  readonly file: File
  /** Take it, although a newer version is installed. */
  readonly allowDowngrade: boolean
  /** Share of the file that has left, 0 to 1. */
  readonly onProgress: (share: number) => void
  readonly signal: AbortSignal
}

/** Sends a bundle to be installed; see sendWithProgress for what it throws. */
export async function uploadModule({ file, allowDowngrade, onProgress, signal }: Upload): Promise<Installed> {
  const path = pathOf('/api/modules/install', {}, { allow_downgrade: allowDowngrade ? 'true' : undefined })
  const headers = { 'X-Module-Filename': encodeURIComponent(file.name) }
  return (await sendWithProgress({ path, headers, file, onProgress, signal })) as Installed
}
