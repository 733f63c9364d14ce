import { constants } from 'node:fs'
import { lstat, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Removes a folder whose folders are read-only, as unpacked bundles are. Follows no symbolic link. A folder that is not there is fine. */
export async function removeTree(folder: string): Promise<void> {
  const stat = await lstat(folder).catch(() => null)
  if (stat === null) return
  if (stat.isDirectory()) await makeWritable(folder)
  await rm(folder, { recursive: true, force: true })
}

async function makeWritable(folder: string): Promise<void> {
  {
    await using handle = await open(folder, FOLDER)
    await handle.chmod(0o755)
  }
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name))
}
