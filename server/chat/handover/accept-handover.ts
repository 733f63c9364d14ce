import type { Handover } from '../../../contract/handovers.ts'
import type { Caller } from '../../../contract/route.ts'
import type { Reader, Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import type { Conversations } from '../conversations/conversations.ts'
import { activeRun } from '../history/active-runs.ts'
import { holdQueued } from '../history/queued-rows.ts'
import { markUntrusted } from '../history/untrusted.ts'
import type { RunContext } from '../run/run-context.ts'
import type { ConversationCopies } from '../transfer/conversation-copies.ts'
import type { ConversationImports, ImportSource } from '../transfer/conversation-imports.ts'
import { handoverClosed } from './handover-closed.ts'
import { findHandover, statusOf, tellBoth, toHandover } from './handover-rows.ts'

export interface HandoverParts {
  readonly context: RunContext
  readonly conversations: Conversations
  readonly copies: ConversationCopies
  readonly imports: ConversationImports
}

/**
 * Makes a copy of the conversation for the person it is offered to. It is written in steps that nobody sees, like an
 * import; the last transaction makes it visible, closes the offer and the original, or does nothing. A repeated request
 * finds the copy.
 * @throws {AppError} not_found, handover_closed, run_active, import_running, payload_too_large, quota_exceeded
 */
export async function acceptHandover(parts: HandoverParts, caller: Caller, handover_id: string): Promise<Handover> {
  const { context, conversations, copies, imports } = parts
  const { db, ports, activity } = context
  const { user_id } = caller
  const offer = await findHandover(db.read, user_id, handover_id)
  const { conversation_id, from_user } = offer
  if (offer.to_user !== user_id) throw new AppError('not_found', say`There is no such offer.`)
  const done = async () => toHandover(await findHandover(db.read, user_id, handover_id), user_id)
  if (offer.status === 'accepted' && offer.copy_there !== null) return done()
  if (statusOf(offer) !== 'offered') throw handoverClosed(statusOf(offer))
  // What it is now: what is added meanwhile would be missing in the copy. Counted first, so that a message that comes
  // between the two is either counted with its run still active, or missed and found at the end.
  const before = await countMessages(db.read, conversation_id)
  await refuseActive(db.read, conversation_id)
  const original = await conversations.find(db.read, from_user, conversation_id)
  const { file, imported } = await copies.readAll(original, caller.language)
  const attached = await copies.attachedTo(conversation_id)

  const source: ImportSource = {
    read: () => Promise.resolve(file),
    imported: (message_id) => (imported.has(message_id) ? 1 : 2),
    begun: () => Promise.resolve(),
    copyFile: async (named, hold) => {
      if (!attached.has(named.file_id)) return
      await ports.attachments.copy({ user_id: from_user, file_id: named.file_id }, { user_id, hold }).catch(unlessGone)
    },
    completed: async (trx, copy_id) => {
      const now = Date.now()
      // Locks the original: a message that is being sent to it either is seen here or finds it handed over.
      const mark = await trx
        .updateTable('conversation')
        .set({ handed_over_at: now })
        .where('conversation_id', '=', conversation_id)
        .where('user_id', '=', from_user)
        .where('deleted_at', 'is', null)
        .where('handed_over_at', 'is', null)
        .returning(['untrusted_at', 'untrusted_by', 'queued'])
        .executeTakeFirst()
      await refuseActive(trx, conversation_id)
      const { numUpdatedRows } = await trx
        .updateTable('handover')
        .set({ status: 'accepted', closed_at: now, to_name: caller.display_name || caller.username, copy_id })
        .where('handover_id', '=', handover_id)
        .where('status', '=', 'offered')
        .where('expires_at', '>', now)
        .executeTakeFirst()
      if (mark === undefined || numUpdatedRows === 0n)
        throw handoverClosed(statusOf(await findHandover(trx, user_id, handover_id)))
      if ((await countMessages(trx, conversation_id)) !== before) throw goesOn()
      await keepMark(trx, copy_id, mark, offer.giver_name || offer.giver_username)
      const held = mark.queued > 0 ? await holdQueued(trx, conversation_id) : []
      await ports.audit.record(trx, {
        actor: caller,
        action: 'handover.accepted',
        target: handover_id,
        outcome: 'ok',
        details: { conversation_id, copy_id, from: offer.giver_username },
      })
      await tellBoth(activity, trx, offer, 'accepted')
      await activity.append(trx, from_user, [
        ...held,
        { type: 'conversation.updated', conversation_id, data: { handed_over: true } },
      ])
    },
  }
  try {
    await imports.importFrom(user_id, source)
  } catch (error) {
    // The same request, sent twice, was faster.
    const now = error instanceof AppError && error.code === 'handover_closed' ? await done() : null
    if (now?.status !== 'accepted' || now.conversation_id === null) throw error
  }
  return done()
}

/** What somebody else wrote is not the receiver's own word, whether or not tools had been read for them. */
async function keepMark(
  trx: Trx,
  copy_id: string,
  mark: { readonly untrusted_at: number | null; readonly untrusted_by: string | null },
  giver: string,
): Promise<void> {
  if (mark.untrusted_at === null) return void (await markUntrusted(trx, copy_id, { kind: 'handover', name: giver }))
  const { untrusted_at, untrusted_by } = mark
  await trx
    .updateTable('conversation')
    .set({ untrusted_at, untrusted_by })
    .where('conversation_id', '=', copy_id)
    .execute()
}

async function refuseActive(reader: Reader, conversation_id: string): Promise<void> {
  if (await activeRun(reader, conversation_id)) throw goesOn()
}

function goesOn(): AppError {
  return new AppError(
    'run_active',
    say`Its owner is still working in this conversation. Take it over once the answer is there.`,
  )
}

/** No message is ever removed from a conversation, and whatever changes it adds one. */
async function countMessages(reader: Reader, conversation_id: string): Promise<number> {
  const { count } = await reader
    .selectFrom('message')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('conversation_id', '=', conversation_id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** A file that its owner has deleted leaves its label. */
function unlessGone(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error
}
