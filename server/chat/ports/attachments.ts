import type { z } from 'zod'
import type { FileParsing } from '../../../contract/chat.ts'
import type { FileEntry, FileRef } from '../../../contract/files.ts'
import type { Trx } from '../../db/database.ts'
import type { ToolFile } from './tools.ts'

/**
 * The port through which a run reads a message's attachments and stores the files its tools make. `files` implements
 * it, `app` fills it.
 */
export interface Attachments {
  /** The entries in the requested order. @throws {AppError} not_found when one is missing or not the user's. */
  entries(user_id: string, file_ids: readonly string[]): Promise<FileEntry[]>
  /**
   * Text of a file for the model, at most `max` characters, and what the parser says; images come as bytes. Never throws for bad
   * content. A parser may take a while: rejects as soon as `signal` is aborted. What it says is in `language`, English unless given.
   */
  read(
    user_id: string,
    file_id: string,
    max: number,
    options?: { readonly signal?: AbortSignal; readonly language?: string },
  ): Promise<AttachmentContent>
  /**
   * Stores a copy of a person's file as somebody else's, within that person's limits. `hold` as in `save`, with the new id.
   * @throws {AppError} not_found, payload_too_large, quota_exceeded
   */
  copy(
    from: { readonly user_id: string; readonly file_id: string },
    to: { readonly user_id: string; readonly hold: (trx: Trx, file_id: string) => Promise<void> },
  ): Promise<FileRef>
  /**
   * Stores a file made by a tool as one of the run's. `hold` begins the transaction that does so, and throws if the run
   * has another driver by now. @throws {AppError} payload_too_large, quota_exceeded
   */
  save(user_id: string, run_id: string, file: ToolFile, hold: (trx: Trx) => Promise<void>): Promise<FileRef>
  /**
   * Stores what a person has read from a module as files of theirs, all or none. `done` ends that transaction.
   * @throws {AppError} payload_too_large, quota_exceeded
   */
  keep(
    user_id: string,
    read: {
      readonly files: readonly ToolFile[]
      readonly origin: NonNullable<FileRef['origin']>
      readonly signal: AbortSignal
      readonly done: (trx: Trx, entries: readonly FileEntry[]) => Promise<void>
    },
  ): Promise<FileEntry[]>
}

export interface AttachmentContent {
  readonly parsing: z.infer<typeof FileParsing>
  readonly text: string | null
  readonly image: { media_type: string; data: Uint8Array } | null
  readonly truncated: boolean
}
