/** Use of AI engines, one row per day, user, engine and model: its size does not follow the number of runs. */
export interface UsageDayTable {
  /** UTC date, `2026-11-21`. */
  day: string
  user_id: string
  /** Empty for use from before engines had ids. */
  engine_id: string
  model: string
  messages: number
  input_tokens: number
  output_tokens: number
  cost_micros: number
}
/** What a role may use; null: no limit. A role without a row has no limits at all. */
export interface QuotaTable {
  role_id: string
  /** Empty: all engines together. */
  engine_id: string
  day_messages: number | null
  day_tokens: number | null
  day_cost_micros: number | null
  month_messages: number | null
  month_tokens: number | null
  month_cost_micros: number | null
  /** Of MCP clients; only in the row of all engines. */
  day_calls: number | null
  month_calls: number | null
}
/** A tool, or all tools of a module, that is switched off for everyone. */
export interface OffSwitchTable {
  /** `tool:<module>.<tool>` or `tool:<module>.*`. */
  subject: string
  reason: string
  /** The name of the user who switched it off. */
  by: string
  at: number
}
/** The machine in one minute; shares from 0 to 1, null where they cannot be read. */
export interface SampleTable {
  /** Epoch milliseconds of the minute's beginning. */
  minute: number
  cpu: number | null
  memory: number | null
  /** Of the fullest file system. */
  disk: number | null
  /** Null without systemd. */
  failed_services: number | null
  /** Unfinished runs of all users. */
  runs: number
}
