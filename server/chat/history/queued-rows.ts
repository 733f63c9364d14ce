import type { QueuedMessage } from '../../../contract/chat.ts'
import type { FileEntry } from '../../../contract/files.ts'
import type { QueuedMessageTable } from '../../db/rows/chat-tables.ts'
import type { Reader, Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { iso } from '../../kernel/time.ts'
import type { NewEvent } from './activity.ts'

/** Rows of queued messages. Locks are taken in this order: run, conversation, queued messages, the user's events. */

/** A queued message as it was when it was judged. */
export type QueuedVersion = Pick<QueuedMessageTable, 'queued_id' | 'conversation_id' | 'version'>

/** A queued message was changed, removed or sent meanwhile: nothing was done. */
export class QueuedChanged extends Error {
  override readonly name = 'QueuedChanged'
}

export function toQueued(row: QueuedMessageTable): QueuedMessage {
  return {
    queued_id: row.queued_id,
    conversation_id: row.conversation_id,
    message: row.message,
    attachments: JSON.parse(row.attachments) as FileEntry[],
    held: row.held === 1,
    problem: row.problem_code === null ? null : { code: row.problem_code, detail: row.problem_detail ?? '' },
    created_at: iso(row.created_at),
  }
}

/** The key under which a queued message is sent: it finds the run of one that has been. */
export function keyOf(queued_id: string): string {
  return `queued:${queued_id}`
}

export function queuedEvent(conversation_id: string): NewEvent {
  return { type: 'conversation.updated', conversation_id, data: { queued: true } }
}

/** A queued message of the user. @throws {AppError} queued_sent, not_found */
export async function findQueued(
  reader: Reader,
  of: { readonly user_id: string; readonly conversation_id: string; readonly queued_id: string },
): Promise<QueuedMessageTable> {
  const row = await reader
    .selectFrom('queued_message')
    .selectAll()
    .where('queued_id', '=', of.queued_id)
    .where('user_id', '=', of.user_id)
    .where('conversation_id', '=', of.conversation_id)
    .executeTakeFirst()
  return row ?? missing(reader, of)
}

/** @throws {AppError} always: queued_sent for a message whose turn has come, otherwise not_found */
export async function missing(
  reader: Reader,
  { user_id, queued_id }: { readonly user_id: string; readonly queued_id: string },
): Promise<never> {
  const run = await reader
    .selectFrom('run')
    .select('run_id')
    .where('user_id', '=', user_id)
    .where('idempotency_key', '=', keyOf(queued_id))
    .executeTakeFirst()
  if (run) throw new AppError('queued_sent', say`This message has just been sent.`)
  throw new AppError('not_found', say`There is no such queued message.`)
}

/** The next message that a conversation is to be sent, if there is one. */
export function nextQueued(reader: Reader, conversation_id: string): Promise<QueuedMessageTable | undefined> {
  return reader
    .selectFrom('queued_message')
    .selectAll()
    .where('conversation_id', '=', conversation_id)
    .where('held', '=', 0)
    .orderBy('position')
    .limit(1)
    .executeTakeFirst()
}

/** Removes the message from the queue, because this transaction sends it. @throws {QueuedChanged} */
export async function takeQueued(trx: Trx, { queued_id, conversation_id, version }: QueuedVersion): Promise<void> {
  await count(trx, conversation_id, -1)
  const { numDeletedRows } = await trx
    .deleteFrom('queued_message')
    .where('queued_id', '=', queued_id)
    .where('version', '=', version)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw new QueuedChanged()
}

/** Changes how many are queued, and locks the conversation with it. */
export async function count(trx: Trx, conversation_id: string, by: 1 | 0 | -1): Promise<void> {
  await trx
    .updateTable('conversation')
    .set((row) => ({ queued: row('queued', '+', by) }))
    .where('conversation_id', '=', conversation_id)
    .execute()
}

/**
 * Holds everything queued in a conversation, which the transaction has locked. The first message is given the reason, if
 * there is one.
 */
export async function holdQueued(
  trx: Trx,
  conversation_id: string,
  refused?: Pick<QueuedMessageTable, 'queued_id'> & { readonly code: string; readonly detail: string },
): Promise<NewEvent[]> {
  await trx
    .updateTable('queued_message')
    .set((row) => ({ held: 1, version: row('version', '+', 1) }))
    .where('conversation_id', '=', conversation_id)
    .where('held', '=', 0)
    .execute()
  if (refused)
    await trx
      .updateTable('queued_message')
      .set({ problem_code: refused.code, problem_detail: refused.detail })
      .where('queued_id', '=', refused.queued_id)
      .execute()
  return [queuedEvent(conversation_id)]
}
