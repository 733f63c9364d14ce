import { NOTICE_KINDS, type NoticeEvent } from '../../contract/notification-values.ts'
import type { Reader } from '../db/database.ts'
import type { ChannelTable } from '../db/rows/notification-tables.ts'
import type { CardFacts } from './send/card-message.ts'

/** Cards of these that still wait, by id: what was decided meanwhile is told to nobody. */
export async function waitingCards(
  reader: Reader,
  approval_ids: readonly string[],
  { user_id }: Pick<ChannelTable, 'user_id'>,
): Promise<Map<string, CardFacts>> {
  if (approval_ids.length === 0) return new Map()
  const rows = await reader
    .selectFrom('approval')
    .innerJoin('user', 'user.user_id', 'approval.user_id')
    .select(['approval_id', 'title', 'module', 'tool', 'effect', 'summary', 'expires_at'])
    .select(['username', 'display_name', 'approval.user_id'])
    .where('approval_id', 'in', approval_ids)
    .where('status', '=', 'pending')
    .where('expires_at', '>', Date.now())
    .execute()
  return new Map(
    rows.map(({ username, display_name, user_id: asker, ...card }) => [
      card.approval_id,
      { ...card, asked_by: display_name || username, mine: asker === user_id },
    ]),
  )
}

/** Where a message goes, and how. */
export interface Destination extends ChannelTable {
  /** Of the person whose address it is; null for a shared channel. */
  readonly username: string | null
  readonly user_language: string | null
  readonly away: number | null
  readonly quiet_from: string | null
  readonly quiet_to: string | null
  readonly zone: string | null
}

/** The channels with these ids, with the person whose address it is. */
export async function destinations(reader: Reader, channel_ids: readonly string[]): Promise<Map<string, Destination>> {
  if (channel_ids.length === 0) return new Map()
  const rows = await reader
    .selectFrom('channel')
    .leftJoin('user', 'user.user_id', 'channel.user_id')
    .leftJoin('notice_setting as setting', 'setting.user_id', 'channel.user_id')
    .selectAll('channel')
    .select(['user.username', 'user.language as user_language', 'quiet_from', 'quiet_to', 'zone'])
    .select((row) => row.fn.coalesce('user.disabled_at', 'user.deleted_at').as('away'))
    .where('channel_id', 'in', channel_ids)
    .execute()
  return new Map(rows.map((row) => [row.channel_id, row]))
}

/**
 * Confirmed addresses of everybody who has a role now and wants to be told of such things; of a notice, of those who find it
 * in their list.
 */
export async function addressesOfRole(
  reader: Reader,
  { role_id, event, ref_id }: { readonly role_id: string; readonly event: NoticeEvent; readonly ref_id: string },
): Promise<string[]> {
  const wish = event === 'approval' || event === 'vote' ? event : NOTICE_KINDS[event]
  let select = reader
    .selectFrom('channel')
    .innerJoin('user', 'user.user_id', 'channel.user_id')
    .leftJoin('notice_setting as setting', 'setting.user_id', 'channel.user_id')
    .select(['channel_id', `setting.${wish} as wanted`])
    .where('user.role_id', '=', role_id)
    .where('user.disabled_at', 'is', null)
    .where('user.deleted_at', 'is', null)
    .where('verified_at', 'is not', null)
  if (event !== 'approval' && event !== 'vote') {
    const readers = reader.selectFrom('notice_reader').select('user_id').where('notice_id', '=', ref_id)
    select = select.where('channel.user_id', 'in', readers)
  }
  const rows = await select.execute()
  return rows.filter(({ wanted }) => wanted !== 0).map(({ channel_id }) => channel_id)
}
