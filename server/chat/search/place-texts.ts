import type { MessagePartTable } from '../../db/rows/chat-tables.ts'
import type { Reader } from '../../db/database.ts'
import type { PartData } from '../history/messages.ts'

/** Where a search found its words: in a part of a message, or in the title (null). */
export interface Place {
  readonly conversation_id: string
  readonly part: { readonly message_id: string; readonly part_index: number } | null
}

/** The text of a place; `markdown` if that is what it is written in. */
export interface PlaceText {
  readonly text: string
  readonly markdown: boolean
}

/** The original texts of places, in their order; empty where one is gone. Takes few queries, however many places. */
export async function placeTexts(reader: Reader, places: readonly Place[]): Promise<PlaceText[]> {
  const titles = await readTitles(
    reader,
    places.filter((place) => place.part === null).map((place) => place.conversation_id),
  )
  const parts = await readParts(
    reader,
    places.flatMap((place) => place.part ?? []),
  )
  const calls = await readCalls(reader, [...parts.values()].filter((part) => part.type === 'tool_call').map(callId))
  return places.map(({ conversation_id, part }) => {
    const stored = part === null ? undefined : parts.get(key(part))
    const text = part === null ? (titles.get(conversation_id) ?? '') : partText(stored, calls)
    return { text, markdown: stored?.type === 'text' }
  })
}

type StoredPart = Pick<MessagePartTable, 'type' | 'text' | 'data'>

function key({ message_id, part_index }: NonNullable<Place['part']>): string {
  return `${message_id}:${part_index}`
}

function callId(part: StoredPart): string {
  return (JSON.parse(part.data) as PartData['tool_call']).tool_call_id
}

function partText(part: StoredPart | undefined, calls: ReadonlyMap<string, string>): string {
  switch (part?.type) {
    case 'text':
      return part.text
    case 'file':
      return (JSON.parse(part.data) as PartData['file']).name
    case 'table':
      return (JSON.parse(part.data) as PartData['table']).table.title
    case 'tool_call':
      return calls.get(callId(part)) ?? ''
    default:
      return ''
  }
}

async function readTitles(reader: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await reader
    .selectFrom('conversation')
    .select(['conversation_id', 'title'])
    .where('conversation_id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.conversation_id, row.title]))
}

async function readParts(
  reader: Reader,
  places: readonly NonNullable<Place['part']>[],
): Promise<Map<string, StoredPart>> {
  if (places.length === 0) return new Map()
  const rows = await reader
    .selectFrom('message_part')
    .select(['message_id', 'part_index', 'type', 'text', 'data'])
    .where((eb) =>
      eb.or(
        places.map(({ message_id, part_index }) =>
          eb.and([eb('message_id', '=', message_id), eb('part_index', '=', part_index)]),
        ),
      ),
    )
    .execute()
  return new Map(rows.map((row) => [key(row), row]))
}

async function readCalls(reader: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await reader
    .selectFrom('tool_call')
    .select(['tool_call_id', 'module', 'tool', 'arguments'])
    .where('tool_call_id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.tool_call_id, `${row.module}.${row.tool} ${row.arguments}`]))
}
