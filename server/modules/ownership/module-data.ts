import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hashOf } from '../../kernel/text/canonical.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import type { Vault } from '../../kernel/vault.ts'
import { removeTree } from '../bundle/archive/remove-tree.ts'
import type { HostLog } from '../spec/host-log.ts'
import { ModuleProblem } from '../spec/module-problem.ts'
import {
  DATA_BYTES,
  DATA_ENTRIES,
  DataChanged,
  DataTooLarge,
  packFolder,
  readContent,
  unpackFolder,
} from './data-archive.ts'
import type { DataStore } from './data-store.ts'
import type { OwnerRow, OwnerRows } from './owner-rows.ts'

/** How often a copy is begun again because the module wrote meanwhile. */
const TRIES = 3
/** A copy that no row names may be about to be named until it is so old. */
const SAFE_AGE_MS = 60 * 60_000

export interface ModuleDataOptions {
  readonly rows: OwnerRows
  /** Null: the folders are used in place, on a volume that all processes share, or by one process alone. */
  readonly store: DataStore | null
  readonly vault: Vault
  readonly log: HostLog
  /** Where the data folders of the modules are. */
  readonly folder: string
  /** What this process knows about the folders: which ownership last used them. Outside what modules see. */
  readonly marks: string
}

/**
 * The data folders of modules of which there is one. A copy in the store, sealed, follows the folder while the module
 * rests, and the next owner begins with the newest complete one.
 */
export class ModuleData {
  readonly #of: ModuleDataOptions
  /** Module → its content as it was last kept or restored by this process. */
  readonly #kept = new Map<string, string>()

  constructor(options: ModuleDataOptions) {
    this.#of = options
  }

  get isKept(): boolean {
    return this.#of.store !== null
  }

  /**
   * Makes the folder of a module that this process has just taken what its last owner left.
   * @throws {ModuleProblem} when the copy cannot be had: without its data the module does not start
   */
  async restore(module: string, { epoch, data_id }: OwnerRow): Promise<void> {
    const { store } = this.#of
    if (store === null) return
    const mark = await this.#markOf(module)
    // Nobody else has had it since this process last did: the folder is newer than any copy.
    const newest = mark !== null && mark === epoch - 1
    if (!newest && data_id !== null) {
      this.#kept.delete(module)
      if (data_id === '') await this.#setAside(module, mark === null)
      else await this.#fetch(module, store, data_id, mark === null)
    }
    await this.#mark(module, epoch)
  }

  /**
   * Keeps the data of a module as they are now, unless they are as last kept. Nothing is kept once another process owns it.
   * Never rejects.
   */
  async keep(module: string, epoch: number, before: string | null): Promise<void> {
    const { store, rows, log } = this.#of
    if (store === null) return
    try {
      const kept = await this.#write(module, store)
      if (kept === null) return
      const stands = await rows.keep(module, epoch, { data_id: kept.id, data_size: kept.bytes })
      if (!stands) return await store.remove(kept.id)
      this.#kept.set(module, kept.state)
      if (before) await store.remove(before)
    } catch (error) {
      log.warn({ module, err: error }, 'data of a module were not kept')
      const problem = problemOf(error)
      await rows.keepFailed(module, epoch, JSON.stringify(problem.pack())).catch(() => undefined)
    }
  }

  /** Whether data of a module are in the store. */
  async has(module: string): Promise<boolean> {
    return Boolean((await this.#of.rows.read()).get(module)?.data_id)
  }

  /** Removes the data of a module that runs nowhere. */
  async remove(module: string): Promise<void> {
    const { rows, store, folder, marks } = this.#of
    const id = await rows.forget(module)
    if (id !== null) await store?.remove(id)
    await removeTree(join(folder, module))
    await rm(join(marks, module), { force: true })
    this.#kept.delete(module)
  }

  /** Removes copies that no row names any more. */
  async sweep(): Promise<void> {
    const { store, rows } = this.#of
    if (store === null) return
    const before = Date.now() - SAFE_AGE_MS
    await store.removeUnfinished(before)
    for (let cursor: string | null = null; ;) {
      const page = await store.list(cursor)
      // Read after the list: what is named by then was listed before.
      const named = new Set([...(await rows.read()).values()].map(({ data_id }) => data_id))
      for (const { id, written_at } of page.objects) if (!named.has(id) && written_at < before) await store.remove(id)
      if ((cursor = page.next) === null) break
    }
  }

  /** Null when nothing has changed. */
  async #write(module: string, store: DataStore): Promise<{ id: string; bytes: number; state: string } | null> {
    const { vault, folder } = this.#of
    const path = join(folder, module)
    for (let tried = 1; ; tried++) {
      const content = await readContent(path)
      const state = hashOf(content.entries)
      if (state === this.#kept.get(module)) return null
      const id = randomBytes(32).toString('hex')
      try {
        await store.write(id, packFolder(path, content, vault, purposeOf(module, id)))
        // One state of the folder, not some files of this and others of that.
        if (hashOf((await readContent(path)).entries) === state) return { id, bytes: content.bytes, state }
        await store.remove(id)
      } catch (error) {
        if (!(error instanceof DataChanged) || tried === TRIES) throw error
      }
      if (tried === TRIES) throw new DataChanged(module)
    }
  }

  async #fetch(module: string, store: DataStore, id: string, keepOld: boolean): Promise<void> {
    const { vault, folder, log } = this.#of
    const path = join(folder, module)
    const fresh = join(folder, `.${module}.new`)
    try {
      if ((await store.size(id)) === null)
        throw new ModuleProblem(say`Its data, as they were last kept, are no longer in the store.`)
      await removeTree(fresh)
      await mkdir(fresh, { recursive: true, mode: 0o700 })
      await unpackFolder(fresh, store.read(id), vault, purposeOf(module, id))
    } catch (error) {
      await removeTree(fresh)
      if (error instanceof ModuleProblem) throw error
      log.warn({ module, err: error }, 'data of a module were not fetched')
      throw new ModuleProblem(say`Its data, as they were last kept, could not be fetched from the store.`, {
        cause: error,
      })
    }
    await this.#setAside(module, keepOld)
    await rename(fresh, path)
    this.#kept.set(module, hashOf((await readContent(path)).entries))
  }

  /** Takes the folder away. One from before there were owners is left beside it: this process may have had its own data. */
  async #setAside(module: string, keep: boolean): Promise<void> {
    const path = join(this.#of.folder, module)
    const aside = join(this.#of.folder, `.${module}.own`)
    if (!keep) return removeTree(path)
    await removeTree(aside)
    await rename(path, aside).catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== 'ENOENT') throw error
    })
  }

  async #markOf(module: string): Promise<number | null> {
    const text = await readFile(join(this.#of.marks, module), 'utf8').catch(() => null)
    return text === null ? null : Number(text)
  }

  async #mark(module: string, epoch: number): Promise<void> {
    const { marks } = this.#of
    await mkdir(marks, { recursive: true, mode: 0o700 })
    await writeFile(join(marks, `.${module}`), String(epoch), { mode: 0o600, flush: true })
    await rename(join(marks, `.${module}`), join(marks, module))
  }
}

function purposeOf(module: string, id: string): string {
  return `module-data:${module}:${id}`
}

function problemOf(error: unknown): Sentence {
  if (error instanceof DataTooLarge)
    return say`Its data are more than ${DATA_BYTES / 1024 / 1024} MiB or ${DATA_ENTRIES} files, so they are not kept.`
  if (error instanceof DataChanged) return say`It wrote all the time, so its newest data could not be kept.`
  return say`Its newest data could not be kept, because the store or its folder did not answer.`
}
