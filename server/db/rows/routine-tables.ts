import type { FireCause, FireResult, HookKind, Overlap, PausedBy } from '../../../contract/routine-values.ts'

/** What somebody has planned: a message, or a procedure, and when. */
export interface RoutineTable {
  routine_id: string
  user_id: string
  name: string
  name_folded: string
  kind: 'text' | 'procedure'
  /** Empty for a procedure. */
  text: string
  /** Both or neither; null: the default engine. */
  engine_id: string | null
  model: string | null
  procedure_id: string | null
  procedure_version: number | null
  /** JSON object. */
  procedure_values: string | null
  /** JSON: the subjects that its runs may use, and no others. */
  scope: string
  /** Both or neither. */
  cron: string | null
  zone: string | null
  /** 1: its runs end with a report. */
  report: number
  overlap: Overlap
  catch_up_s: number
  run_limit_s: number
  token_budget: number | null
  call_budget: number | null
  card_life_s: number
  /** Null while it is paused, and without a schedule. */
  next_fire_at: number | null
  /** The version of the time zone data that this was worked out with. */
  tz: string | null
  /** Runs that ended badly since the last good one. */
  failures: number
  /** Null: it is on. */
  paused_by: PausedBy | null
  paused_at: number | null
  /** Counts its changes: what fires is what was read. */
  revision: number
  created_at: number
  updated_at: number
}

/** One reason to run a routine, and what came of it. */
export interface RoutineFireTable {
  fire_id: string
  routine_id: string
  user_id: string
  /** `c:<due time>`, `m:<key>` by hand, `w:<delivery>` of a webhook, `x:<key>` of a watch: at most one row of each. */
  due_key: string
  cause: FireCause
  due_at: number
  outcome: FireResult
  /** JSON of a sentence (PackedSentence). */
  reason: string | null
  /** How many times a missed one stands for. */
  times: number
  run_id: string | null
  /** JSON of what came with it and the values of variables, while it is queued. */
  facts: string | null
  /** 1: its run has not been seen to end, or it is queued. */
  open: number
  /** A report of its run is owed, and tried until then; null: none is, or no more. */
  report_until: number | null
  /** Not before then; null: at once. Whoever moves it on is the one who tries. */
  report_next_at: number | null
  /** When the same reason came last, to within a day; null: not again. */
  repeated_at: number | null
  created_at: number
}

export interface RoutineHookTable {
  hook_id: string
  routine_id: string
  kind: HookKind
  /** Sealed for `routine hook <hook_id>`; null unless `generic`. */
  secret_sealed: string | null
  /** HMAC of the bearer token; null unless `alertmanager`. */
  token_hash: string | null
  /** JSON: variable → label. */
  labels: string
  resolved: number
  created_at: number
  used_at: number | null
}
