/** What a person said about something that others must agree to. */
export interface VoteTable {
  /** An approval. */
  subject_id: string
  user_id: string
  decision: 'approve' | 'deny'
  reason: string | null
  session_id: string
  at: number
}
