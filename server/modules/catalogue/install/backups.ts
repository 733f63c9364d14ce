import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { FileAnswer } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import { iso } from '../../../kernel/time.ts'
import { RoleRule } from '../role-rules.ts'

const FILE_NAME = /^[a-z0-9][a-zA-Z0-9.+_-]{0,200}\.mcpb$/
/** What is stored next to each backup because its file name cannot express it. */
const Label = z.object({
  name: z.string(),
  display_name: z.string(),
  version: z.string(),
  builtin: z.boolean(),
  removed_at: z.number(),
  /** Digest of the bundle; null for a built-in. */
  digest: z.string().nullable().default(null),
  /** Rules that allowed its tools when it was removed. */
  rules: z.array(RoleRule).default([]),
})
export type BackupLabel = z.infer<typeof Label>

export interface Backup extends BackupLabel {
  /** File name. */
  readonly backup: string
  readonly size: number
}

/** Backups of removed modules, as bundles in a folder of their own. */
export class Backups {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = join(folder, 'backups')
  }

  /**
   * Keeps the bundle that `write` creates in the given file, and returns its file name. Leaves nothing behind on
   * failure.
   */
  async add(label: BackupLabel, write: (file: string) => Promise<void>): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const time = iso(label.removed_at).slice(0, 19).replace(/[-:]/g, '').toLowerCase()
    const version = label.version.replace(/[^a-zA-Z0-9.+_-]/g, '_')
    const backup = await this.#freeName(`${label.name}-${version}-${time}`)
    const unfinished = join(this.#folder, `.${backup}`)
    try {
      await write(unfinished)
      await writeFile(this.#labelOf(backup), JSON.stringify(label), { mode: 0o600 })
      await rename(unfinished, join(this.#folder, backup))
      return backup
    } catch (error) {
      await rm(unfinished, { force: true })
      await rm(this.#labelOf(backup), { force: true })
      throw error
    }
  }

  /** Undoes `add`. */
  async remove(backup: string): Promise<void> {
    await rm(join(this.#folder, backup), { force: true })
    await rm(this.#labelOf(backup), { force: true })
  }

  /** Newest first; backups without a readable label are left out. */
  async list(): Promise<Backup[]> {
    return this.#read(() => true)
  }

  /** The newest backup of one module: of the bundle with this digest or, with null, of a built-in. */
  async newestOf(module: string, digest: string | null): Promise<Backup | null> {
    const all = await this.#read((file) => file.startsWith(`${module}-`))
    return all.find((backup) => backup.name === module && backup.digest === digest) ?? null
  }

  async #read(wanted: (file: string) => boolean): Promise<Backup[]> {
    const names = await readdir(this.#folder).catch(() => [])
    const all = await Promise.all(
      names
        .filter((name) => FILE_NAME.test(name) && wanted(name))
        .map(async (backup) => {
          const [label, status] = await Promise.all([
            readFile(this.#labelOf(backup), 'utf8').then(
              (text) => Label.safeParse(JSON.parse(text)).data,
              () => undefined,
            ),
            stat(join(this.#folder, backup)),
          ])
          return label === undefined ? [] : [{ ...label, backup, size: status.size }]
        }),
    )
    return all.flat().sort((a, b) => b.removed_at - a.removed_at)
  }

  /** Removes what was left unfinished when a service was killed. */
  async tidy(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => [])
    for (const name of names) if (name.startsWith('.')) await rm(join(this.#folder, name), { force: true })
  }

  pathOf(backup: string): string {
    if (!FILE_NAME.test(backup)) throw new Error('Not the name of a backup')
    return join(this.#folder, backup)
  }

  /** @throws {AppError} not_found */
  async read(backup: string): Promise<FileAnswer> {
    const status = FILE_NAME.test(backup) ? await stat(this.pathOf(backup)).catch(() => null) : null
    if (!status?.isFile()) throw new AppError('not_found', say`There is no such backup.`)
    const stream = createReadStream(this.pathOf(backup))
    return { name: backup, media_type: 'application/zip', size: status.size, stream }
  }

  #labelOf(backup: string): string {
    return join(this.#folder, `${backup.slice(0, -'.mcpb'.length)}.json`)
  }

  async #freeName(stem: string): Promise<string> {
    const taken = new Set(await readdir(this.#folder))
    for (let number = 1; ; number++) {
      const name = `${stem}${number === 1 ? '' : `-${number}`}.mcpb`
      if (!taken.has(name)) return name
    }
  }
}
