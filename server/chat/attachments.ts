import type { z } from 'zod'
import type { FileParsing } from '../../contract/chat.ts'
import type { FileEntry } from '../../contract/files.ts'

/** The port through which a run reads what was attached to a message. `files` implements it, `app` fills it. */
export interface Attachments {
  /** The entries in the order asked for. @throws {AppError} not_found when one is missing or not the user's. */
  entries(user_id: string, file_ids: readonly string[]): Promise<FileEntry[]>
  /** Text of a file for the model, at most `max` characters, and what the parser says; images come as bytes. Never throws for bad content. */
  read(user_id: string, file_id: string, max: number): Promise<AttachmentContent>
}

export interface AttachmentContent {
  readonly parsing: z.infer<typeof FileParsing>
  readonly text: string | null
  readonly image: { media_type: string; data: Uint8Array } | null
  readonly truncated: boolean
}
