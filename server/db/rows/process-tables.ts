/** A process that works on this database. All times are the database's, in epoch milliseconds. */
export interface ProcessTable {
  /** Made at its start; nobody can guess it, and no other process ever has it. */
  process_id: string
  /** Name of its machine or container. */
  host: string
  version: string
  /** Where it listens, for people who look for it; null until it does. */
  address: string | null
  started_at: number
  heartbeat_at: number
  /** Since when it takes no more work. */
  stopping_at: number | null
}

/** How often something that every process keeps a copy of has changed. */
export interface RevisionTable {
  topic: string
  value: number
}
