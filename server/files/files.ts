import type { FileEntry, FileUsage } from '../../contract/files.ts'
import type { FileAnswer } from '../../contract/route.ts'
import type { Trx } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { COLUMNS, isFileId, noSuchFile, toEntry, usedBytes, type FilePlace } from './file-row.ts'
import { listFiles, type FilePage } from './list-files.ts'
import { filesPastRestoring, someFilesOf } from './purging.ts'
import { FilePutter, type FilesOptions, type NewFile, type NewFiles } from './put-files.ts'
import { type Replacement, replaceFile } from './replace-file.ts'
import { leaveUnused } from './shared-bytes.ts'

/**
 * The stored files of every user: a row says what a file is and who owns it; the store has its bytes. Bytes are written
 * before the row, so a visible file is always complete, and only the sweep removes them (db/objects).
 * Files of one owner with the same content share their bytes (shared-bytes.ts). A deleted file is kept for 30 days,
 * counts against the quota until then, and can only be reached by restoring it.
 * Other users' files are reported as not found, so nobody can tell them from files that don't exist.
 */
export class Files {
  readonly #options: FilesOptions
  readonly #putter: FilePutter

  constructor(options: FilesOptions) {
    this.#options = options
    this.#putter = new FilePutter(options)
  }

  /** Stores a file. @throws {AppError} bad_file_name, payload_too_large, quota_exceeded, invalid_request (cut off) */
  async put({ user_id, hold, signal, ...file }: NewFile): Promise<FileEntry> {
    const holding = hold && ((trx: Trx, [file_id]: readonly string[]) => hold(trx, file_id!))
    const [entry] = await this.#putter.put({ user_id, files: [file], hold: holding, signal })
    return entry!
  }

  /** Stores files of one owner, all or none. @throws {AppError} as `put` */
  putTogether(files: NewFiles): Promise<FileEntry[]> {
    return this.#putter.put(files)
  }

  /** @throws {AppError} not_found, file_changed, payload_too_large, quota_exceeded */
  async replace(replacement: Replacement): Promise<void> {
    await this.#forget(await replaceFile(this.#options, replacement))
  }

  /** @throws {AppError} not_found */
  async entry(user_id: string, file_id: string): Promise<FileEntry> {
    const [entry] = await this.entries(user_id, [file_id])
    return entry!
  }

  /**
   * The entries in the order of the ids. @throws {AppError} not_found when one is missing or belongs to another user.
   */
  async entries(user_id: string, file_ids: readonly string[]): Promise<FileEntry[]> {
    if (file_ids.length === 0) return []
    if (!file_ids.every(isFileId)) noSuchFile()
    const rows = await this.#options.database.read
      .selectFrom('file')
      .select(COLUMNS)
      .where('user_id', '=', user_id)
      .where('file_id', 'in', [...new Set(file_ids)])
      .where('deleted_at', 'is', null)
      .execute()
    const byId = new Map(rows.map((row) => [row.file_id, row]))
    return file_ids.map((file_id) => toEntry(byId.get(file_id) ?? noSuchFile()))
  }

  /** Newest first, unless stated otherwise. @throws {AppError} invalid_request for a cursor that no page returned */
  list(user_id: string, page: FilePage): Promise<{ items: FileEntry[]; next_cursor: string | null }> {
    return listFiles(this.#options.database.read, user_id, page)
  }

  /** Bytes in use, the share of deleted files, and the limit. */
  async usage(user_id: string): Promise<FileUsage> {
    const { all, deleted } = await usedBytes(this.#options.database.read, user_id)
    const { quota, sizeLimit } = this.#options
    return { bytes: all, deleted_bytes: deleted, limit: quota, file_limit: sizeLimit }
  }

  /**
   * Where the bytes of a file are: their id (the same id means the same content), and their path if the store is a
   * folder of this machine. @throws {AppError} not_found
   */
  async locate(user_id: string, file_id: string): Promise<FilePlace> {
    if (!isFileId(file_id)) noSuchFile()
    const row = await this.#options.database.read
      .selectFrom('file')
      .select(['stored_as', 'reading'])
      .where('user_id', '=', user_id)
      .where('file_id', '=', file_id)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (row === undefined) noSuchFile()
    return { ...row, path: this.#options.store.path?.(row.stored_as) ?? null }
  }

  /** The bytes under an id from `locate`. */
  bytes(stored_as: string): AsyncIterable<Uint8Array> {
    return this.#options.store.read(stored_as)
  }

  /** The whole file, as a route sends it. @throws {AppError} not_found */
  async open(user_id: string, file_id: string): Promise<FileAnswer & { readonly size: number }> {
    const { store } = this.#options
    const { name, media_type, size } = await this.entry(user_id, file_id)
    const { stored_as } = await this.locate(user_id, file_id)
    const stored = await store.size(stored_as)
    if (stored === null) throw new AppError('not_found', say`The content of this file is missing from the storage.`)
    // An error is better than a download that breaks off, or other bytes than were uploaded.
    if (stored !== size) throw new Error(`Stored file ${file_id} has ${stored} bytes instead of ${size}`)
    const part = (from: number, length: number) => store.read(stored_as, length, from)
    return { name, media_type, size, stream: store.read(stored_as), part }
  }

  /** At most the first `limit` bytes, in one piece; null when the store has lost them. @throws {AppError} not_found */
  async head(user_id: string, file_id: string, limit: number): Promise<Uint8Array | null> {
    const { store } = this.#options
    const { stored_as } = await this.locate(user_id, file_id)
    if ((await store.size(stored_as)) === null) return null
    const pieces: Uint8Array[] = []
    for await (const piece of store.read(stored_as, limit)) pieces.push(piece)
    return Buffer.concat(pieces)
  }

  /**
   * Deletes a file; it can be restored for 30 days. With `expected`, a SHA-256, only while it has those bytes.
   * @throws {AppError} not_found
   */
  async remove(user_id: string, file_id: string, expected?: string): Promise<void> {
    await this.#mark(user_id, file_id, this.#now(), expected)
  }

  /** Deletes a file permanently, whether or not it was deleted before. @throws {AppError} not_found */
  async removeForever(user_id: string, file_id: string): Promise<void> {
    if (!isFileId(file_id) || (await this.#purge(user_id, [file_id], [])) === 0) noSuchFile()
  }

  /** Undoes the deletion of a file; does nothing to one that isn't deleted. @throws {AppError} not_found */
  async restore(user_id: string, file_id: string): Promise<FileEntry> {
    await this.#mark(user_id, file_id, null)
    return this.entry(user_id, file_id)
  }

  async #mark(user_id: string, file_id: string, deleted_at: number | null, expected?: string): Promise<void> {
    if (!isFileId(file_id)) noSuchFile()
    let query = this.#options.database.write
      .updateTable('file')
      .set({ deleted_at })
      .where('user_id', '=', user_id)
      .where('file_id', '=', file_id)
    if (deleted_at !== null) query = query.where('deleted_at', 'is', null)
    if (expected !== undefined) query = query.where('sha256', '=', expected)
    if ((await query.returning('file_id').executeTakeFirst()) === undefined) noSuchFile()
  }

  /** Removes every file of a user who is being deleted, in steps. */
  async eraseAll(user_id: string): Promise<void> {
    for (let ids = ['']; ids.length > 0; await this.purge(user_id, ids, []))
      ids = await someFilesOf(this.#options.database.read, user_id)
  }

  /** Permanently deletes files of a user: the given ones, and those that the given runs generated. */
  async purge(user_id: string, file_ids: readonly string[], run_ids: readonly string[]): Promise<void> {
    if (file_ids.length > 0 || run_ids.length > 0) await this.#purge(user_id, file_ids, run_ids)
  }

  async #purge(user_id: string, file_ids: readonly string[], run_ids: readonly string[]): Promise<number> {
    const { database } = this.#options
    const { unused, purged } = await database.transaction(async (trx) => {
      // No new file may start sharing bytes that go on the list of the sweep.
      await database.dialect.serialize(trx, `files:${user_id}`)
      const rows = await trx
        .deleteFrom('file')
        .where('user_id', '=', user_id)
        .where((eb) =>
          eb.or([
            ...(file_ids.length > 0 ? [eb('file_id', 'in', file_ids)] : []),
            ...(run_ids.length > 0 ? [eb('run_id', 'in', run_ids)] : []),
          ]),
        )
        .returning('stored_as')
        .execute()
      return { unused: await leaveUnused(database, trx, user_id, rows), purged: rows.length }
    })
    await this.#forget(unused)
    return purged
  }

  /** Permanently deletes files whose restore period is over, some at a time; returns how many. */
  async purgeDeleted(): Promise<number> {
    const due = await filesPastRestoring(this.#options.database.read, this.#now())
    for (const [user_id, own] of Map.groupBy(due, (row) => row.user_id)) {
      const file_ids = own.map((row) => row.file_id)
      await this.purge(user_id, file_ids, [])
    }
    return due.length
  }

  async #forget(ids: readonly string[]): Promise<void> {
    for (const stored_as of ids) await this.#options.onRemoved?.(stored_as)
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now()
  }
}
