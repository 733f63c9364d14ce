import type { GeneratedAlways } from 'kysely'

/**
 * What is looked through for a stretch of a conversation. A conversation has one segment until that is full, and then
 * more. A segment that gets more text is written anew: newest segment = where something was said last.
 */
export interface SearchSegmentTable {
  segment_id: GeneratedAlways<number>
  conversation_id: string
  user_id: string
  /** 1, 2, 3 … within the conversation. */
  position: number
  /** 0: the conversation has this segment and no other. */
  long: number
  /** A line for each place: what searchLine() makes of its text. */
  body: string
  /** A line for each line of the body: `message_id:part_index`, or nothing for the title, the first line of segment 1. */
  places: string
}

/** The index over the segments: FTS5 in SQLite, a table with a GIN index in PostgreSQL. */
export interface SearchIndexTable {
  /** The segment_id. */
  rowid: number
  /** The owner's grams (ownedGram), apart by spaces. */
  grams: string
}
