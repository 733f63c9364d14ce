import type { Notice } from '../../../contract/chat.ts'
import type { Reader, Trx } from '../../db/database.ts'
import type { MessagePartTable } from '../../db/chat-tables.ts'
import type { SearchableLine } from '../../db/search-segments.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import type { PartData } from './messages.ts'
import { findable, indexParts } from './searchable.ts'

export type NewPart = {
  [K in keyof PartData]: { type: K; text?: string; data: PartData[K]; find?: string }
}[keyof PartData]

/** Appends parts to a message, indexes them for search, and returns the index of the first. */
export async function addParts(trx: Trx, message_id: string, step: number, parts: readonly NewPart[]): Promise<number> {
  const { first, lines } = await insertParts(trx, message_id, step, parts)
  await indexParts(trx, message_id, lines)
  return first
}

/** Appends parts to a message. They cannot be found by a search until the lines are indexed. */
async function insertParts(
  trx: Trx,
  message_id: string,
  step: number,
  parts: readonly NewPart[],
): Promise<{ first: number; lines: SearchableLine[] }> {
  const first = await nextPartIndex(trx, message_id)
  if (parts.length > 0) {
    await trx
      .insertInto('message_part')
      .values(parts.map((part, i) => toPartRow(message_id, first + i, step, part)))
      .execute()
  }
  const lines = parts.flatMap((part, i) => findable(message_id, first + i, part.find ?? part.text ?? '') ?? [])
  return { first, lines }
}

/** Index of the next part of a message. */
export async function nextPartIndex(reader: Reader, message_id: string): Promise<number> {
  const last = await reader
    .selectFrom('message_part')
    .select('part_index')
    .where('message_id', '=', message_id)
    .orderBy('part_index', 'desc')
    .limit(1)
    .executeTakeFirst()
  return (last?.part_index ?? -1) + 1
}

export function noticePart(notice: Notice): NewPart {
  return { type: 'notice', data: notice }
}

/** A part as its row. */
export function toPartRow(message_id: string, part_index: number, step: number, part: NewPart): MessagePartTable {
  return {
    message_id,
    part_index,
    step,
    type: part.type,
    text: storable(part.text ?? ''),
    file_id: part.type === 'file' ? part.data.file_id : null,
    data: JSON.stringify(part.data),
  }
}
