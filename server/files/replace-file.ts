import { createHash } from 'node:crypto'
import type { Database, Trx } from '../db/database.ts'
import { markPerhapsUnused } from '../db/objects/unused-objects.ts'
import { AppError } from '../kernel/app-error.ts'
import { newId } from '../kernel/id.ts'
import { say } from '../kernel/sentence.ts'
import type { ByteStore } from './byte-store.ts'
import { isFileId, noSuchFile, usedBytes } from './file-row.ts'
import { leaveUnused } from './shared-bytes.ts'
import { quotaExceeded, tooLarge } from './size-refusals.ts'

/** Other bytes for a stored file, provided that it still has the expected ones. */
export interface Replacement {
  readonly user_id: string
  readonly file_id: string
  readonly data: Uint8Array
  /** SHA-256 in hexadecimal of what it must still hold. */
  readonly expected: string
}

interface ReplacePorts {
  readonly database: Database
  readonly store: ByteStore
  readonly sizeLimit: number
  readonly quota: number
  readonly onCreated: (
    trx: Trx,
    file: { user_id: string; file_id: string; name: string; kind: 'generated'; run_id: null },
  ) => Promise<void>
}

/**
 * Gives a file other bytes under the same id and name, all at once. Returns the ids of bytes that no file uses any more.
 * @throws {AppError} not_found, file_changed, payload_too_large, quota_exceeded
 */
export async function replaceFile(
  { database, store, sizeLimit, quota, onCreated }: ReplacePorts,
  { user_id, file_id, data, expected }: Replacement,
): Promise<string[]> {
  if (!isFileId(file_id)) noSuchFile()
  if (data.byteLength > sizeLimit) throw tooLarge(sizeLimit)
  const stored_as = newId('file')
  await store.write(stored_as, once(data))
  try {
    return await database.transaction(async (trx) => {
      await database.dialect.serialize(trx, `files:${user_id}`)
      const row = await trx
        .selectFrom('file')
        .select(['name', 'sha256', 'size', 'stored_as'])
        .where('user_id', '=', user_id)
        .where('file_id', '=', file_id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      if (row === undefined) noSuchFile()
      if (row.sha256 !== expected)
        throw new AppError('file_changed', say`${row.name} was changed meanwhile, so it was left as it is.`)
      if ((await usedBytes(trx, user_id)).all - row.size + data.byteLength > quota) throw quotaExceeded(quota)
      const sha256 = createHash('sha256').update(data).digest('hex')
      await trx
        .updateTable('file')
        .set({ stored_as, sha256, size: data.byteLength })
        .where('file_id', '=', file_id)
        .execute()
      // For whoever shows files, it is another one.
      await onCreated(trx, { user_id, file_id, name: row.name, kind: 'generated', run_id: null })
      return leaveUnused(database, trx, user_id, [row])
    })
  } catch (error) {
    // The answer to a commit may have been lost.
    await markPerhapsUnused(database, 'files', [stored_as])
    throw error
  }
}

async function* once(data: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(data)
}
