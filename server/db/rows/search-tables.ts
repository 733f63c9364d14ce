import type { GeneratedAlways } from 'kysely'

/**
 * What is searched for a stretch of a conversation. A conversation has one segment until that is full, and then more. A
 * segment that gains text is rewritten: newest segment = most recent text.
 */
export interface SearchSegmentTable {
  segment_id: GeneratedAlways<number>
  conversation_id: string
  user_id: string
  /** 1, 2, 3 … within the conversation. */
  position: number
  /** 0: the conversation has this segment and no other. */
  long: number
  /** A line per position: the searchLine() of its text. */
  body: string
  /** A line per line of the body: `message_id:part_index`, or nothing for the title, the first line of segment 1. */
  places: string
}

/** The index over the segments: FTS5 in SQLite, a table with a GIN index in PostgreSQL. */
export interface SearchIndexTable {
  /** The segment_id. */
  rowid: number
  /** The owner's grams (ownedGram), separated by spaces. */
  grams: string
}
