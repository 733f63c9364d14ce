/** A figure or a table that is looked at by itself. */
export interface WatchTable {
  watch_id: string
  /** Whose it is; null: all administrators'. */
  user_id: string | null
  /** One that an installation begins with. */
  preset: string | null
  name: string
  name_folded: string
  enabled: number
  /** JSON of a WatchSource, a WatchCondition and a WatchAction. */
  source: string
  condition: string
  action: string
  interval_s: number
  /** JSON: the only subjects that a look may use, whatever the owner's role allows besides. */
  scope: string
  /** Grows with every change: a look that began before it stores nothing. */
  revision: number
  /** By the time of the database. Whoever moves it looks. */
  next_at: number
  /** When the newest look that is stored began. */
  looked_at: number | null
  /** JSON of a packed sentence: why nothing can be looked at. */
  problem: string | null
  created_at: number
  updated_at: number
}

/** What a watch knows of one subject: a machine, a row, or both. */
export interface WatchStateTable {
  watch_id: string
  subject_key: string
  machine: string
  row_name: string
  phase: 'ok' | 'pending' | 'crossed'
  /** JSON of a number, a text or null. */
  value: string
  /** JSON of a packed sentence. */
  problem: string | null
  since: number
  /** Milliseconds for which it has been seen beyond the bound. */
  held_ms: number
  /** When it was last seen beyond the bound; null after anything else. */
  beyond_at: number | null
  crossing_id: string | null
  told_at: number | null
}

export interface WatchCrossingTable {
  crossing_id: string
  watch_id: string
  machine: string
  row_name: string
  value: string
  crossed_at: number
  ended_at: number | null
  ended: 'recovered' | 'gone' | 'stopped' | null
  told: number
  routine: 'due' | 'started' | 'queued' | 'skipped' | 'refused' | null
}
