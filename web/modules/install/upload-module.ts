import type { Output } from '../../client/api-types.ts'
import { pathOf } from '../../client/api.ts'
import { sendWithProgress } from '../../uploads/send-with-progress.ts'

export type Installed = Output<'POST /api/modules/install'>

type Sent = Output<'POST /api/module-additions/bundle'>

export interface ModuleUpload {
  readonly file: File
  /** Install even if a newer version is installed. */
  readonly allowDowngrade: boolean
  /** Share of the file that has been sent, 0 to 1. */
  readonly onProgress: (share: number) => void
  readonly signal: AbortSignal
}

/** Uploads a bundle for installation; see sendWithProgress for errors. */
export async function uploadModule(upload: ModuleUpload): Promise<Installed> {
  return (await send('/api/modules/install', upload)) as Installed
}

/** Uploads a bundle that is installed in the background. */
export async function sendModule(upload: ModuleUpload): Promise<Sent> {
  return (await send('/api/module-additions/bundle', upload)) as Sent
}

async function send(
  route: '/api/modules/install' | '/api/module-additions/bundle',
  { file, allowDowngrade, onProgress, signal }: ModuleUpload,
): Promise<unknown> {
  const path = pathOf(route, {}, { allow_downgrade: allowDowngrade ? 'true' : undefined })
  const headers = { 'X-Module-Filename': encodeURIComponent(file.name) }
  return sendWithProgress({ path, headers, file, onProgress, signal })
}
