import type { FileEntry } from '../../contract/files.ts'
import type { FileAnswer } from '../../contract/route.ts'
import type { Database, Reader, Trx } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { newId } from '../kernel/id.ts'
import { fold } from '../kernel/text.ts'
import type { ByteStore } from './byte-store.ts'
import { extensionOf, fileName } from './file-name.ts'
import { mediaTypeOf } from './media-type.ts'
import { meterBytes } from './metered-bytes.ts'

export interface FilesOptions {
  readonly database: Database
  readonly store: ByteStore
  /** Bytes of one file; more is `payload_too_large`. */
  readonly sizeLimit: number
  /** Bytes of all files of one user; more is `quota_exceeded`. */
  readonly quota: number
  /** Called in the transaction that adds the file: writes the `file.created` event. */
  readonly onCreated: (trx: Trx, file: CreatedFile) => Promise<void>
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
  /** Default `upload`; `generated` files belong to a run. */
  readonly kind?: 'upload' | 'generated'
  readonly run_id?: string | null
  /** Aborted when the sender is gone. */
  readonly signal?: AbortSignal
}

const COLUMNS = ['file_id', 'name', 'extension', 'media_type', 'size', 'created_at'] as const

/**
 * The stored files of every user: a row says what a file is and whose, the store has its bytes. Bytes come before the
 * row and go after it, so a file that can be seen is complete; what a crash leaves between the two is swept.
 * Somebody else's file is not found, and nobody can tell the two apart.
 */
export class Files {
  readonly #options: FilesOptions
  /** Bytes of uploads under way by user: they fill the disk before the quota sees them. */
  readonly #underWay = new Map<string, number>()

  constructor(options: FilesOptions) {
    this.#options = options
  }

  /** Stores a file. @throws {AppError} bad_file_name, payload_too_large, quota_exceeded, invalid_request (cut off) */
  async put(file: NewFile): Promise<FileEntry> {
    const { database, store, sizeLimit, quota, onCreated } = this.#options
    const { user_id, kind = 'upload', run_id = null } = file
    const name = fileName(file.name)
    const extension = extensionOf(name)
    const file_id = newId('file')
    const used = await usedBytes(database.read, user_id)
    const meter = meterBytes(
      file.bytes,
      (piece, all) => {
        if (all > sizeLimit)
          throw new AppError('payload_too_large', `A file may have at most ${inMegabytes(sizeLimit)}.`)
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
        created_at: Date.now(),
      }
      const sha256 = meter.sha256()
      await database.transaction(async (trx) => {
        // Two uploads at once must not both fit into what is left for one.
        await database.dialect.serialize(trx, `files:${user_id}`)
        if ((await usedBytes(trx, user_id)) + row.size > quota) throw quotaExceeded(quota)
        await trx
          .insertInto('file')
          .values({ ...row, user_id, name_folded: fold(name), sha256, kind, run_id })
          .execute()
        await onCreated(trx, { user_id, file_id, name, kind, run_id })
      })
      return toEntry(row)
    } catch (error) {
      await store.remove(file_id)
      throw error
    } finally {
      const left = (this.#underWay.get(user_id) ?? 0) - meter.size()
      if (left > 0) this.#underWay.set(user_id, left)
      else this.#underWay.delete(user_id)
    }
  }

  /** @throws {AppError} not_found */
  async entry(user_id: string, file_id: string): Promise<FileEntry> {
    const [entry] = await this.entries(user_id, [file_id])
    return entry!
  }

  /** The entries in the order asked for. @throws {AppError} not_found when one is missing or not the user's. */
  async entries(user_id: string, file_ids: readonly string[]): Promise<FileEntry[]> {
    if (file_ids.length === 0) return []
    if (!file_ids.every(isFileId)) notFound()
    const rows = await this.#options.database.read
      .selectFrom('file')
      .select(COLUMNS)
      .where('user_id', '=', user_id)
      .where('file_id', 'in', [...new Set(file_ids)])
      .execute()
    const byId = new Map(rows.map((row) => [row.file_id, row]))
    return file_ids.map((file_id) => toEntry(byId.get(file_id) ?? notFound()))
  }

  /** Newest first. `cursor` is the `next_cursor` of the page before. @throws {AppError} invalid_request for another cursor */
  async list(
    user_id: string,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<{ items: FileEntry[]; next_cursor: string | null }> {
    if (page.cursor !== undefined && !isFileId(page.cursor)) {
      const message = 'This is not a cursor that a list of files gave.'
      throw new AppError('invalid_request', message, { errors: [{ path: 'cursor', message }] })
    }
    let query = this.#options.database.read.selectFrom('file').select(COLUMNS).where('user_id', '=', user_id)
    if (page.cursor !== undefined) query = query.where('file_id', '<', page.cursor)
    const rows = await query
      .orderBy('file_id', 'desc')
      .limit(page.limit + 1)
      .execute()
    const items = rows.slice(0, page.limit).map(toEntry)
    return { items, next_cursor: rows.length > page.limit ? items.at(-1)!.file_id : null }
  }

  /** The whole file, as a route answers it. @throws {AppError} not_found */
  async open(user_id: string, file_id: string): Promise<FileAnswer> {
    const { name, media_type, size } = await this.entry(user_id, file_id)
    const stored = await this.#options.store.size(file_id)
    if (stored === null) throw new AppError('not_found', 'The content of this file is missing from the storage.')
    // Better an error than a download that breaks off, or other bytes than were sent.
    if (stored !== size) throw new Error(`Stored file ${file_id} has ${stored} bytes instead of ${size}`)
    return { name, media_type, size, stream: this.#options.store.read(file_id) }
  }

  /** At most the first `limit` bytes, in one piece; null when the store has lost them. @throws {AppError} not_found */
  async head(user_id: string, file_id: string, limit: number): Promise<Uint8Array | null> {
    await this.entry(user_id, file_id)
    if ((await this.#options.store.size(file_id)) === null) return null
    const pieces: Uint8Array[] = []
    for await (const piece of this.#options.store.read(file_id, limit)) pieces.push(piece)
    return Buffer.concat(pieces)
  }

  /** @throws {AppError} not_found */
  async remove(user_id: string, file_id: string): Promise<void> {
    if (!isFileId(file_id)) notFound()
    const deleted = await this.#options.database.read
      .deleteFrom('file')
      .where('user_id', '=', user_id)
      .where('file_id', '=', file_id)
      .returning('file_id')
      .executeTakeFirst()
    if (!deleted) notFound()
    await this.#options.store.remove(file_id)
  }

  /** The user's rows are about to go, in `trx`: what it returns removes the bytes, after the commit. */
  async deletingUser(trx: Trx, user_id: string): Promise<() => Promise<void>> {
    const rows = await trx.deleteFrom('file').where('user_id', '=', user_id).returning('file_id').execute()
    return () => this.#removeBytes(rows)
  }

  /** Removes files of a user for good: these, and those that these runs generated. */
  async purge(user_id: string, file_ids: readonly string[], run_ids: readonly string[]): Promise<void> {
    if (file_ids.length === 0 && run_ids.length === 0) return
    const rows = await this.#options.database.read
      .deleteFrom('file')
      .where('user_id', '=', user_id)
      .where((eb) =>
        eb.or([
          ...(file_ids.length > 0 ? [eb('file_id', 'in', file_ids)] : []),
          ...(run_ids.length > 0 ? [eb('run_id', 'in', run_ids)] : []),
        ]),
      )
      .returning('file_id')
      .execute()
    await this.#removeBytes(rows)
  }

  async #removeBytes(rows: readonly { file_id: string }[]): Promise<void> {
    for (const { file_id } of rows) await this.#options.store.remove(file_id)
  }
}

/** What is no id of ours never gets as far as a query: PostgreSQL fails on a NUL. */
function isFileId(text: string): boolean {
  return /^fil_[0-9a-z]{1,60}$/.test(text)
}

async function usedBytes(db: Reader, user_id: string): Promise<number> {
  const row = await db
    .selectFrom('file')
    .select((q) => q.fn.sum<number | string | null>('size').as('bytes'))
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  return Number(row?.bytes ?? 0)
}

function toEntry(row: Omit<FileEntry, 'created_at'> & { created_at: number }): FileEntry {
  return { ...row, created_at: new Date(row.created_at).toISOString() }
}

function notFound(): never {
  throw new AppError('not_found', 'There is no such file.')
}

function quotaExceeded(quota: number): AppError {
  return new AppError(
    'quota_exceeded',
    `Your files may have at most ${inMegabytes(quota)} in total. Delete some first.`,
  )
}

function inMegabytes(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${Math.floor(bytes / (1024 * 1024))} MB`
}
