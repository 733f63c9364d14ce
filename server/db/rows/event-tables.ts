import type { Generated } from 'kysely'

export interface EventTable {
  id: Generated<number>
  user_id: string
  conversation_id: string | null
  run_id: string | null
  type: string
  /** JSON of the fields beside type, conversation_id, run_id and at. */
  data: string
  at: number
}
/** The newest deleted event of a user: a client that requests events after an older one gets `reset`. */
export interface EventHorizonTable {
  user_id: string
  event_id: number
}
