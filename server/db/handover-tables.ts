/** A conversation that is offered to another person, or was. */
export interface HandoverTable {
  handover_id: string
  conversation_id: string
  from_user: string
  to_user: string
  /** One that is `offered` has expired as soon as its time is over; the row says so once it is in the way. */
  status: 'offered' | 'accepted' | 'declined' | 'withdrawn' | 'expired'
  note: string | null
  /** What the person who accepted it was called then. */
  to_name: string | null
  /** The copy; it may be gone. */
  copy_id: string | null
  created_at: number
  expires_at: number
  closed_at: number | null
}
