import type { FileEntry } from '../../contract/files.ts'
import type { Table } from '../../contract/messages.ts'
import type { Trx } from '../db/database.ts'
import type { Sentence } from '../kernel/sentence.ts'

/** Stored files as reports see them; `files` implements it, `app` fills it. */
export interface ReportFiles {
  /** All or none, in one transaction that `hold` begins and `done` ends. @throws {AppError} quota_exceeded, payload_too_large */
  putTogether(files: {
    readonly user_id: string
    readonly files: readonly {
      readonly name: string
      readonly bytes: AsyncIterable<Uint8Array>
      readonly kind: 'generated'
    }[]
    readonly hold: (trx: Trx) => Promise<void>
    readonly done: (trx: Trx, entries: readonly FileEntry[]) => Promise<void>
    readonly signal?: AbortSignal
  }): Promise<FileEntry[]>
  /** @throws {AppError} not_found */
  entries(user_id: string, file_ids: readonly string[]): Promise<FileEntry[]>
}

/** Writes tables as one workbook, a sheet each; `tables` implements it, `app` fills it. */
export type WriteWorkbook = (
  sheets: readonly (Pick<Table, 'title' | 'columns' | 'rows'> & { readonly notices: readonly string[] })[],
  of: { readonly title: string; readonly by: string; readonly at: Date; readonly language: string },
  signal: AbortSignal,
) => AsyncIterable<Uint8Array>

/** Why nothing may be stored for somebody while nobody is there; null: it may. */
export type MayStore = (user_id: string) => Promise<Sentence | null>
