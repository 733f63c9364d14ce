import type { FileEntry, FileUsage } from '../../contract/files.ts'
import type { FileAnswer } from '../../contract/route.ts'
import type { Database, Trx } from '../db/database.ts'
import { markPerhapsUnused, markUnused } from '../db/objects/unused-objects.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { newId } from '../kernel/id.ts'
import { fold } from '../kernel/text/plain-text.ts'
import type { ByteStore } from './byte-store.ts'
import { extensionOf, fileName } from './file-name.ts'
import { COLUMNS, isFileId, noSuchFile, toEntry, usedBytes, type FilePlace } from './file-row.ts'
import { listFiles, type FilePage } from './list-files.ts'
import { mediaTypeOf } from './media-type.ts'
import { meterBytes } from './metered-bytes.ts'
import { filesPastRestoring, someFilesOf } from './purging.ts'
import { type Replacement, replaceFile } from './replace-file.ts'
import { findBytes, isUsed, leaveUnused } from './shared-bytes.ts'
import { quotaExceeded, tooLarge } from './size-refusals.ts'

export interface FilesOptions {
  readonly database: Database
  readonly store: ByteStore
  /** Bytes of one file; more is `payload_too_large`. */
  readonly sizeLimit: number
  /** Bytes of all files of one user; more is `quota_exceeded`. */
  readonly quota: number
  /** Called in the transaction that adds the file: writes the `file.created` event. */
  readonly onCreated: (trx: Trx, file: CreatedFile) => Promise<void>
  /** No file has these bytes any more: whatever was derived from them on this machine goes at once. */
  readonly onRemoved?: (stored_as: string) => Promise<void>
  readonly now?: () => number
}

export interface CreatedFile {
  readonly user_id: string
  readonly file_id: string
  readonly name: string
  readonly kind: 'upload' | 'generated'
  readonly run_id: string | null
}

export interface NewFile {
  readonly user_id: string
  readonly name: string
  readonly bytes: AsyncIterable<Uint8Array>
  /** Bytes, if known in advance. */
  readonly size?: number | undefined
  /** Default `upload`; `generated` files belong to a run. */
  readonly kind?: 'upload' | 'generated'
  readonly run_id?: string | null
  /** Begins the transaction that stores the row, of which it gets the id; throws if the file must no longer be stored. */
  readonly hold?: ((trx: Trx, file_id: string) => Promise<void>) | undefined
  /** Aborted when the sender disconnects. */
  readonly signal?: AbortSignal
}

/**
 * The stored files of every user: a row says what a file is and who owns it; the store has its bytes. Bytes are written
 * before the row, so a visible file is always complete, and only the sweep removes them (db/objects).
 * Files of one owner with the same content share their bytes (shared-bytes.ts). A deleted file is kept for 30 days,
 * counts against the quota until then, and can only be reached by restoring it.
 * Other users' files are reported as not found, so nobody can tell them from files that don't exist.
 */
export class Files {
  readonly #options: FilesOptions
  /** Bytes of uploads in progress by user: they fill the disk before the quota sees them. */
  readonly #underWay = new Map<string, number>()

  constructor(options: FilesOptions) {
    this.#options = options
  }

  /** Stores a file. @throws {AppError} bad_file_name, payload_too_large, quota_exceeded, invalid_request (cut off) */
  async put(file: NewFile): Promise<FileEntry> {
    const { database, store, sizeLimit, quota, onCreated } = this.#options
    const { user_id, kind = 'upload', run_id = null } = file
    if ((file.size ?? 0) > sizeLimit) throw tooLarge(sizeLimit)
    const name = fileName(file.name)
    const extension = extensionOf(name)
    const file_id = newId('file')
    const used = (await usedBytes(database.read, user_id)).all
    const meter = meterBytes(
      file.bytes,
      (piece, all) => {
        if (all > sizeLimit) throw tooLarge(sizeLimit)
        const underWay = (this.#underWay.get(user_id) ?? 0) + piece
        this.#underWay.set(user_id, underWay)
        if (used + underWay > quota) throw quotaExceeded(quota)
      },
      file.signal,
    )
    try {
      await store.write(file_id, meter.bytes)
      const row = {
        file_id,
        name,
        extension,
        media_type: mediaTypeOf(extension),
        size: meter.size(),
        created_at: this.#now(),
      }
      const sha256 = meter.sha256()
      const known = await findBytes(database, store, { user_id, sha256, size: row.size })
      await database.transaction(async (trx) => {
        await file.hold?.(trx, file_id)
        // Two concurrent uploads must not both fit into the space that is left for one.
        await database.dialect.serialize(trx, `files:${user_id}`)
        if ((await usedBytes(trx, user_id)).all + row.size > quota) throw quotaExceeded(quota)
        // The bytes that were found may have been purged meanwhile.
        const stored_as = known !== null && (await isUsed(trx, user_id, known)) ? known : file_id
        await trx
          .insertInto('file')
          .values({ ...row, user_id, name_folded: fold(name), sha256, kind, run_id, stored_as, deleted_at: null })
          .execute()
        if (stored_as !== file_id) await markUnused(database, trx, 'files', [file_id])
        await onCreated(trx, { user_id, file_id, name, kind, run_id })
      })
      return toEntry(row)
    } catch (error) {
      // Of the store or of a commit, the answer may have been lost: the sweep finds out what is there.
      await markPerhapsUnused(database, 'files', [file_id])
      throw error
    } finally {
      const left = (this.#underWay.get(user_id) ?? 0) - meter.size()
      if (left > 0) this.#underWay.set(user_id, left)
      else this.#underWay.delete(user_id)
    }
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
