import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder private to its owner, whose files appear completely or not at all. */
export interface PrivateFolder {
  readonly path: (name: string) => string
  /** The text of a file, made private from now on; null if there is none. */
  read(name: string): Promise<string | null>
  /** Writes or replaces a file. */
  write(name: string, text: string | Uint8Array): Promise<void>
  /** Writes a file unless another process was first, whose file then stays. */
  create(name: string, text: string): Promise<void>
  rename(from: string, to: string): Promise<void>
}

export async function openPrivateFolder(folder: string): Promise<PrivateFolder> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  const path = (name: string) => join(folder, name)

  async function drafted(name: string, text: string | Uint8Array, place: (file: string) => Promise<void>) {
    const file = path(`${name}.${randomBytes(6).toString('hex')}`)
    try {
      const handle = await open(file, 'wx', 0o600)
      try {
        await handle.writeFile(text)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await place(file)
    } finally {
      await rm(file, { force: true })
    }
  }

  return {
    path,
    async read(name) {
      try {
        const text = await readFile(path(name), 'utf8')
        await chmod(path(name), 0o600)
        return text
      } catch (error) {
        if (isCode(error, 'ENOENT')) return null
        throw error
      }
    },
    write: (name, text) => drafted(name, text, (file) => rename(file, path(name))),
    create: (name, text) =>
      drafted(name, text, (file) =>
        link(file, path(name)).catch((error: unknown) => {
          if (!isCode(error, 'EEXIST')) throw error
        }),
      ),
    rename: (from, to) =>
      rename(path(from), path(to)).catch((error: unknown) => {
        // Another process was first.
        if (!isCode(error, 'ENOENT')) throw error
      }),
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
