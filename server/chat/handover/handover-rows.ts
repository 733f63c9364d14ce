import type { z } from 'zod'
import type { Handover, HandoverStatus } from '../../../contract/handovers.ts'
import type { ConversationTable } from '../../db/rows/chat-tables.ts'
import type { Reader, Trx } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { iso, isoOrNull } from '../../kernel/time.ts'
import { GONE } from '../history/gone.ts'
import type { Activity } from '../history/activity.ts'

type Status = z.infer<typeof HandoverStatus>
interface Page {
  readonly status?: Status | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Offers of conversations, with what the two people see of them. Those of a conversation in the bin rest. */
function handovers(reader: Reader, user_id: string) {
  return reader
    .selectFrom('handover')
    .innerJoin('user as giver', 'giver.user_id', 'handover.from_user')
    .innerJoin('user as taker', 'taker.user_id', 'handover.to_user')
    .innerJoin('conversation', 'conversation.conversation_id', 'handover.conversation_id')
    .leftJoin('conversation as copy', (join) =>
      join
        .onRef('copy.conversation_id', '=', 'handover.copy_id')
        .onRef('copy.user_id', '=', 'handover.to_user')
        .on('copy.deleted_at', 'is', null),
    )
    .selectAll('handover')
    .select([
      'giver.username as giver_username',
      'giver.display_name as giver_name',
      'taker.username as taker_username',
      'conversation.title as title',
      'conversation.deleted_at as deleted_at',
      'copy.conversation_id as copy_there',
      'copy.title as copy_title',
    ])
    .select((row) =>
      row
        .selectFrom('message')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('message.conversation_id', '=', 'handover.conversation_id')
        .as('messages'),
    )
    .where((row) =>
      row.or([
        row('handover.from_user', '=', user_id),
        row.and([
          row('handover.to_user', '=', user_id),
          row.or([row('handover.status', '!=', 'offered'), row('conversation.deleted_at', 'is', null)]),
        ]),
      ]),
    )
    .where((row) => row.or([row('conversation.deleted_at', 'is', null), row('conversation.deleted_at', '>', GONE)]))
}
type Row = Awaited<ReturnType<ReturnType<typeof handovers>['executeTakeFirstOrThrow']>>

/** @throws {AppError} not_found unless the user offered it, or it was offered to the user. */
export async function findHandover(reader: Reader, user_id: string, handover_id: string): Promise<Row> {
  const row = await handovers(reader, user_id).where('handover_id', '=', handover_id).executeTakeFirst()
  if (!row) throw new AppError('not_found', say`There is no such offer.`)
  return row
}

/** Newest first. */
export async function listHandovers(reader: Reader, user_id: string, page: Page) {
  const now = Date.now()
  const rows = await handovers(reader, user_id)
    .$if(page.status === 'offered', (some) =>
      some.where('handover.status', '=', 'offered').where('handover.expires_at', '>', now),
    )
    .$if(page.status === 'expired', (some) =>
      some.where((row) =>
        row.or([
          row('handover.status', '=', 'expired'),
          row.and([row('handover.status', '=', 'offered'), row('handover.expires_at', '<=', now)]),
        ]),
      ),
    )
    .$if(page.status !== undefined && page.status !== 'offered' && page.status !== 'expired', (some) =>
      some.where('handover.status', '=', page.status!),
    )
    .$if(page.cursor !== undefined, (some) => some.where('handover_id', '<', page.cursor!))
    .orderBy('handover_id', 'desc')
    .limit(page.limit + 1)
    .execute()
  const kept = rows.slice(0, page.limit)
  return {
    items: kept.map((row) => toHandover(row, user_id)),
    next_cursor: rows.length > page.limit ? kept.at(-1)!.handover_id : null,
  }
}

/** How many conversations are offered to the user. */
export async function offersWaiting(reader: Reader, user_id: string): Promise<number> {
  const { count } = await reader
    .selectFrom('handover')
    .innerJoin('conversation', 'conversation.conversation_id', 'handover.conversation_id')
    .select((of) => of.fn.countAll<number | string>().as('count'))
    .where('to_user', '=', user_id)
    .where('status', '=', 'offered')
    .where('expires_at', '>', Date.now())
    .where('conversation.deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** What it is now: an offer ends by itself when its time is over. */
export function statusOf({ status, expires_at }: Pick<Row, 'status' | 'expires_at'>): Status {
  return status === 'offered' && expires_at <= Date.now() ? 'expired' : status
}

/** An offer as one of the two sees it. */
export function toHandover(row: Row, user_id: string): Handover {
  const status = statusOf(row)
  const byMe = row.from_user === user_id
  const shown = byMe || status === 'offered'
  const { taker_username: username } = row
  return {
    handover_id: row.handover_id,
    direction: byMe ? 'by_me' : 'to_me',
    status,
    from: { username: row.giver_username, name: row.giver_name || row.giver_username },
    // Whether the name of an account is that of a person is not told to whoever only guesses it.
    to: { username, name: row.to_name ?? username },
    title: shown ? row.title : row.copy_title,
    messages: shown ? Number(row.messages) : null,
    note: row.note,
    conversation_id: byMe ? (row.deleted_at === null ? row.conversation_id : null) : row.copy_there,
    created_at: iso(row.created_at),
    expires_at: iso(row.expires_at),
    closed_at: isoOrNull(row.closed_at),
  }
}

/** Tells both people, without the conversation; the caller's transaction holds both places in their order afterwards. */
export async function tellBoth(
  activity: Activity,
  trx: Trx,
  { handover_id, from_user, to_user }: Pick<Row, 'handover_id' | 'from_user' | 'to_user'>,
  status: Status,
): Promise<void> {
  const both = [from_user, to_user].sort()
  await activity.appendForEach(trx, both, { type: 'handover.changed', data: { handover_id, status } })
}

/** Who has a conversation now, and since when; null while its owner does. */
export async function handedOverOf(
  reader: Reader,
  { conversation_id, handed_over_at }: Pick<ConversationTable, 'conversation_id' | 'handed_over_at'>,
): Promise<{ to: string | null; at: string } | null> {
  if (handed_over_at === null) return null
  const row = await ACCEPTED.first(reader, { conversation_id })
  return { to: row?.to_name ?? null, at: iso(Number(handed_over_at)) }
}

const ACCEPTED = query((db, is: { conversation_id: string }) =>
  db
    .selectFrom('handover')
    .select('to_name')
    .where('conversation_id', '=', is.conversation_id)
    .where('status', '=', 'accepted'),
)
