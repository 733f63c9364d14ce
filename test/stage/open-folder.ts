import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An empty folder that goes when `closing` is disposed. */
export async function openFolder(closing: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-folder-'))
  closing.defer(() => rm(folder, { recursive: true, force: true }))
  return folder
}
