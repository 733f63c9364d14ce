import type { NoticeEvent, NoticeTopic } from '../../contract/notification-values.ts'
import type { Reader } from '../db/database.ts'
import { waitingCards } from './due-cards.ts'
import { noticesById, readBy } from './notices.ts'
import { cardMessage } from './send/card-message.ts'
import type { Message } from './send/message.ts'
import { noticeMessage } from './send/notice-message.ts'
import type { Audience } from './send/wording.ts'
import type { StillHolds } from '../chat/ports/notices.ts'

/** What is said in one message: all notices together, own cards, cards of others. */
export function matterOf(event: NoticeEvent): 'approval' | 'vote' | 'notice' {
  return event === 'approval' || event === 'vote' ? event : 'notice'
}

/** What can still be told of cards or notices. */
export interface Told {
  /** By the id of the card or notice: what is over by now is told to nobody. */
  isOver(ref_id: string): boolean
  message(id: string, ref_ids: readonly string[], audience: Audience, address: string): Message
}

/** `ref_ids` of one matter, as whoever reads at a place gets them. */
export async function whatToTell(
  reader: Reader,
  { event, ref_ids }: { readonly event: NoticeEvent; readonly ref_ids: readonly string[] },
  place: { readonly user_id: string | null },
  holds: ReadonlyMap<NoticeTopic, StillHolds>,
): Promise<Told> {
  if (matterOf(event) !== 'notice') {
    const cards = await waitingCards(reader, ref_ids, place)
    return {
      isOver: (ref_id) => !cards.has(ref_id),
      message: (id, ids, ...to) => cardMessage(id, pick(cards, ids), ...to),
    }
  }
  const notices = await noticesById(reader, ref_ids)
  // Who has read it in their list needs no message.
  if (place.user_id !== null) for (const id of await readBy(reader, place.user_id, ref_ids)) notices.delete(id)
  for (const { notice_id, event: topic, ref_id, key } of notices.values())
    if ((await holds.get(topic)?.({ ref_id, key })) === false) notices.delete(notice_id)
  return {
    isOver: (ref_id) => !notices.has(ref_id),
    message: (id, ids, ...to) => noticeMessage(id, pick(notices, ids), ...to),
  }
}

function pick<T>(known: ReadonlyMap<string, T>, ids: readonly string[]): T[] {
  return ids.map((id) => known.get(id)!)
}
