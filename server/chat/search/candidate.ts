import type { Reader } from '../../db/database.ts'
import { holdsText } from '../../db/search-condition.ts'
import { findWord } from '../../kernel/text/search-words.ts'
import { GONE } from '../history/gone.ts'

export interface Search {
  readonly user_id: string
  /** Folded, distinct, at least one (searchWords). */
  readonly words: readonly string[]
  readonly limit: number
  /** Only results after this one of an earlier answer (`order`). */
  readonly before: number | null
  readonly folder_id?: string | undefined
  readonly deleted: boolean
  readonly pinned?: boolean | undefined
}

/** What a search reads from. */
export interface Source {
  readonly reader: Reader
  readonly database: 'sqlite' | 'postgres'
}

/** What is left of the segments that one search looks at, and where it ran out: the answer then goes on from there. */
export interface Looked {
  left: number
  stoppedAt: number | null
}

export interface Segment {
  readonly body: string
  readonly places: string
}

export interface Candidate {
  readonly conversation_id: string
  /** The number of its newest segment: the most recently active conversation comes first. */
  readonly order: number
  /** Those of its segments, oldest first, by which it is decided whether it holds the words. */
  readonly segments: readonly Segment[]
}

/** Segments of a long conversation read at a time: mostly the newest ones hold the words. */
export const SEGMENTS = 8

/** The columns of `conversation as c` that isAsked looks at. */
export const ASKED = ['c.user_id', 'c.folder_id', 'c.deleted_at', 'c.pinned', 'c.kind'] as const

/** Whether the caller asked for conversations like this one. */
export function isAsked(
  row: {
    user_id: string | null
    folder_id: string | null
    deleted_at: number | null
    pinned: number | null
    kind: string | null
  },
  { user_id, folder_id, deleted, pinned }: Search,
): boolean {
  return (
    row.user_id === user_id &&
    row.kind !== 'gateway' &&
    (deleted ? row.deleted_at !== null && row.deleted_at > GONE : row.deleted_at === null) &&
    (folder_id === undefined || row.folder_id === folder_id) &&
    (pinned === undefined || (row.pinned === 1) === pinned)
  )
}

/** Whether every word is in one of the segments. */
export function holdAll(segments: readonly Segment[], words: readonly string[]): boolean {
  return words.every((word) => segments.some((segment) => findWord(segment.body, word) >= 0))
}

/**
 * Of the segments of a long conversation, or of those of them that are named, the newest that hold any of the words: as
 * many as it takes to find all words. Oldest first.
 */
export async function readLong(
  { reader, database }: Source,
  conversation_id: string,
  words: readonly string[],
  looked: Looked,
  among: readonly number[] | null = null,
): Promise<Segment[]> {
  const segments: Segment[] = []
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    let select = reader
      .selectFrom('search_segment as s')
      .select(['s.segment_id', 's.body', 's.places'])
      .where('s.conversation_id', '=', conversation_id)
      .where('s.segment_id', '<', before)
      .where(holdsText(database, 's.body', words, 'any'))
      .orderBy('s.segment_id', 'desc')
      .limit(SEGMENTS)
    if (among !== null) select = select.where('s.segment_id', 'in', among)
    const page = await select.execute()
    segments.unshift(...page.toReversed())
    looked.left -= page.length
    if (page.length < SEGMENTS || holdAll(segments, words)) return segments
    before = page.at(-1)!.segment_id
  }
}
