import type { Notice } from '../../contract/chat.ts'
import type { Trx } from '../db/database.ts'
import type { MessagePartTable } from '../db/chat-tables.ts'
import { cut, fold, storable } from '../kernel/text.ts'
import type { PartData } from './messages.ts'

/** Of one part, what a search can find. */
const FOLDED_LIMIT = 50_000

export type NewPart = {
  [K in keyof PartData]: { type: K; text?: string; data: PartData[K]; find?: string }
}[keyof PartData]

/** Appends parts to a message and returns the index of the first. */
export async function addParts(trx: Trx, message_id: string, step: number, parts: readonly NewPart[]): Promise<number> {
  const last = await trx
    .selectFrom('message_part')
    .select('part_index')
    .where('message_id', '=', message_id)
    .orderBy('part_index', 'desc')
    .limit(1)
    .executeTakeFirst()
  const first = (last?.part_index ?? -1) + 1
  if (parts.length > 0) {
    await trx
      .insertInto('message_part')
      .values(parts.map((part, i) => toRow(message_id, first + i, step, part)))
      .execute()
  }
  return first
}

export function noticePart(notice: Notice): NewPart {
  return { type: 'notice', data: notice }
}

/** What a search should find of a text. */
export function findable(text: string): string {
  return fold(cut(text, FOLDED_LIMIT))
}

function toRow(message_id: string, part_index: number, step: number, part: NewPart): MessagePartTable {
  const text = storable(part.text ?? '')
  return {
    message_id,
    part_index,
    step,
    type: part.type,
    text,
    data: JSON.stringify(part.data),
    text_folded: findable(part.find ?? text),
  }
}
