import type { Notice } from '../../../contract/chat.ts'
import type { Reader, Trx } from '../../db/database.ts'
import type { MessagePartTable } from '../../db/rows/chat-tables.ts'
import type { SearchableLine } from '../../db/search-segments.ts'
import { insertRows, query } from '../../db/statement.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import type { PartData } from './messages.ts'
import { findable, indexParts } from './searchable.ts'

export type NewPart = {
  [K in keyof PartData]: { type: K; text?: string; data: PartData[K]; find?: string }
}[keyof PartData]

/** Appends parts to a message and indexes them for search. */
export async function addParts(
  trx: Trx,
  { conversation_id, message_id }: { readonly conversation_id: string; readonly message_id: string },
  step: number,
  parts: readonly NewPart[],
): Promise<void> {
  if (parts.length === 0) return
  const first = await nextPartIndex(trx, message_id)
  await indexParts(trx, conversation_id, await insertParts(trx, message_id, { first, step }, parts))
}

/** Inserts parts from index `first` on; returns what makes them searchable, once it is indexed. */
export async function insertParts(
  trx: Trx,
  message_id: string,
  { first, step }: { readonly first: number; readonly step: number },
  parts: readonly NewPart[],
): Promise<SearchableLine[]> {
  const rows = parts.map((part, i) => toPartRow(message_id, first + i, step, part))
  await insertRows(trx, 'message_part', rows)
  return parts.flatMap((part, i) => findable(message_id, first + i, part.find ?? part.text ?? '') ?? [])
}

/** Index of the next part of a message. */
async function nextPartIndex(reader: Reader, message_id: string): Promise<number> {
  const last = await LAST_PART.first(reader, { message_id })
  return (last?.part_index ?? -1) + 1
}

const LAST_PART = query((db, is: { message_id: string }) =>
  db
    .selectFrom('message_part')
    .select('part_index')
    .where('message_id', '=', is.message_id)
    .orderBy('part_index', 'desc')
    .limit(1),
)

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
