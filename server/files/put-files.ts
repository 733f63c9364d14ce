import type { FileEntry } from '../../contract/files.ts'
import type { Database, Trx } from '../db/database.ts'
import { markPerhapsUnused, markUnused } from '../db/objects/unused-objects.ts'
import { newId } from '../kernel/id.ts'
import { fold } from '../kernel/text/plain-text.ts'
import type { ByteStore } from './byte-store.ts'
import { extensionOf, fileName } from './file-name.ts'
import { toEntry, usedBytes } from './file-row.ts'
import { mediaTypeOf } from './media-type.ts'
import { meterBytes } from './metered-bytes.ts'
import { findBytes, isUsed } from './shared-bytes.ts'
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
  /** Where it is from, if it was read from a module. */
  readonly origin?: FileEntry['origin'] | undefined
  /** Begins the transaction that stores the row, of which it gets the id; throws if the file must no longer be stored. */
  readonly hold?: ((trx: Trx, file_id: string) => Promise<void>) | undefined
  /** Aborted when the sender disconnects. */
  readonly signal?: AbortSignal
}

/** One of several files that are stored together. */
export type OneFile = Pick<NewFile, 'name' | 'bytes' | 'size' | 'kind' | 'run_id' | 'origin'>

/** Files of one owner that are stored all at once or not at all. */
export interface NewFiles {
  readonly user_id: string
  readonly files: readonly OneFile[]
  /** Begins the transaction that stores the rows, of which it gets the ids; throws if they must no longer be stored. */
  readonly hold?: ((trx: Trx, file_ids: readonly string[]) => Promise<void>) | undefined
  /** Ends that transaction. */
  readonly done?: ((trx: Trx, entries: readonly FileEntry[]) => Promise<void>) | undefined
  readonly signal?: AbortSignal | undefined
}

/** A file whose bytes are written, and which has no row yet. */
interface Written {
  readonly row: {
    readonly file_id: string
    readonly name: string
    readonly extension: string
    readonly media_type: string
    readonly size: number
    readonly created_at: number
    readonly origin: string | null
  }
  readonly sha256: string
  readonly known: string | null
  readonly file: OneFile
}

/** Stores files: first all bytes, then all rows in one transaction. */
export class FilePutter {
  readonly #options: FilesOptions
  readonly #now: () => number
  /** Bytes of uploads in progress by user: they fill the disk before the quota sees them. */
  readonly #underWay = new Map<string, number>()

  constructor(options: FilesOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /** @throws {AppError} bad_file_name, payload_too_large, quota_exceeded, invalid_request (cut off) */
  async put({ user_id, files, hold, done, signal }: NewFiles): Promise<FileEntry[]> {
    const { database } = this.#options
    const begun: string[] = []
    let metered = 0
    try {
      const used = (await usedBytes(database.read, user_id)).all
      const written: Written[] = []
      for (const file of files) {
        const one = await this.#write(file, { user_id, used, signal, begun, onPiece: (piece) => (metered += piece) })
        written.push(one)
      }
      const entries = written.map(({ row }) => toEntry(row))
      await database.transaction(async (trx) => {
        await hold?.(
          trx,
          written.map(({ row }) => row.file_id),
        )
        await this.#store(trx, user_id, written)
        await done?.(trx, entries)
      })
      return entries
    } catch (error) {
      // Of the store or of a commit, the answer may have been lost: the sweep finds out what is there.
      if (begun.length > 0) await markPerhapsUnused(database, 'files', begun)
      throw error
    } finally {
      const left = (this.#underWay.get(user_id) ?? 0) - metered
      if (left > 0) this.#underWay.set(user_id, left)
      else this.#underWay.delete(user_id)
    }
  }

  async #write(
    file: OneFile,
    of: {
      readonly user_id: string
      readonly used: number
      readonly signal: AbortSignal | undefined
      readonly begun: string[]
      readonly onPiece: (bytes: number) => void
    },
  ): Promise<Written> {
    const { database, store, sizeLimit, quota } = this.#options
    const { user_id, used } = of
    if ((file.size ?? 0) > sizeLimit) throw tooLarge(sizeLimit)
    const name = fileName(file.name)
    const extension = extensionOf(name)
    const file_id = newId('file')
    const meter = meterBytes(
      file.bytes,
      (piece, all) => {
        if (all > sizeLimit) throw tooLarge(sizeLimit)
        of.onPiece(piece)
        const underWay = (this.#underWay.get(user_id) ?? 0) + piece
        this.#underWay.set(user_id, underWay)
        if (used + underWay > quota) throw quotaExceeded(quota)
      },
      of.signal,
    )
    of.begun.push(file_id)
    await store.write(file_id, meter.bytes)
    const size = meter.size()
    const origin = file.origin === undefined ? null : JSON.stringify(file.origin)
    const media_type = mediaTypeOf(extension)
    const row = { file_id, name, extension, media_type, size, created_at: this.#now(), origin }
    const sha256 = meter.sha256()
    return { row, sha256, known: await findBytes(database, store, { user_id, sha256, size }), file }
  }

  async #store(trx: Trx, user_id: string, written: readonly Written[]): Promise<void> {
    const { database, quota, onCreated } = this.#options
    // Two concurrent uploads must not both fit into the space that is left for one.
    await database.dialect.serialize(trx, `files:${user_id}`)
    const size = written.reduce((sum, { row }) => sum + row.size, 0)
    if ((await usedBytes(trx, user_id)).all + size > quota) throw quotaExceeded(quota)
    for (const { row, sha256, known, file } of written) {
      const { kind = 'upload', run_id = null } = file
      const { file_id, name } = row
      // The bytes that were found may have been purged meanwhile.
      const stored_as = known !== null && (await isUsed(trx, user_id, known)) ? known : file_id
      await trx
        .insertInto('file')
        .values({ ...row, user_id, name_folded: fold(name), sha256, kind, run_id, stored_as, deleted_at: null })
        .execute()
      if (stored_as !== file_id) await markUnused(database, trx, 'files', [file_id])
    }
    // Their events come last: they lock those of the owner.
    for (const { row, file } of written) {
      const { kind = 'upload', run_id = null } = file
      await onCreated(trx, { user_id, file_id: row.file_id, name: row.name, kind, run_id })
    }
  }
}
