import { z } from 'zod'
import { Id, Timestamp } from './values.ts'
import { WATCH_FIGURES, WATCH_LIMITS } from './watch-limits.ts'

/**
 * Figures of the control room. `disk_used` and `memory_used` in percent (of disks the fullest), `load` per core,
 * `failed_services` by number. Of the installation itself: hours since the last backup, and days for which the certificate
 * of the service is valid.
 */
export const WatchFigure = z.enum(WATCH_FIGURES)
export type WatchFigure = z.infer<typeof WatchFigure>

/** Which machines: as they are at each look. */
export const WatchedMachines = z.discriminatedUnion('of', [
  z.strictObject({ of: z.literal('local') }),
  z.strictObject({ of: z.literal('host'), host_id: Id }),
  z.strictObject({ of: z.literal('tag'), tag: z.string().min(1).max(32) }),
  z.strictObject({ of: z.literal('all') }),
])
export type WatchedMachines = z.infer<typeof WatchedMachines>

const ColumnKey = z.string().min(1).max(200)
export const RowFilter = z.strictObject({
  column: ColumnKey,
  op: z.enum(['is', 'is_not', 'contains']),
  value: z.string().max(WATCH_LIMITS.text),
})
export type RowFilter = z.infer<typeof RowFilter>

export const FigureSource = z.strictObject({
  kind: z.literal('figure'),
  figure: WatchFigure,
  machines: WatchedMachines,
})
export const TableSource = z.strictObject({
  kind: z.literal('table'),
  /** A tool that only reads and answers with a table. */
  module: z.string().min(1).max(100),
  tool: z.string().min(1).max(200),
  arguments: z.record(z.string(), z.unknown()),
  /** Of a tool that works on machines; for others `local`. */
  machines: WatchedMachines,
  /** The column whose value is compared; null: the number of rows. */
  column: ColumnKey.nullable(),
  /** Which rows count: `none`: every one; `any`, `all`: those for which any or all of the conditions hold. */
  match: z.enum(['none', 'any', 'all']),
  where: z.array(RowFilter).max(WATCH_LIMITS.filters),
  /** The column by which a row is known again, so that each is followed by itself; null: the worst row counts. */
  key: ColumnKey.nullable(),
})
export type TableSource = z.infer<typeof TableSource>
export const WatchSource = z.discriminatedUnion('kind', [FigureSource, TableSource])
export type WatchSource = z.infer<typeof WatchSource>

export const WatchCondition = z.strictObject({
  is: z.enum(['above', 'below', 'equals']),
  bound: z.union([z.number(), z.string().max(WATCH_LIMITS.text)]),
  /** Where it counts as recovered: at most this after `above`, at least this after `below`. null: at the bound itself. */
  back: z.number().nullable(),
  /** Seconds for which it must have been seen beyond the bound. */
  for_s: z.int().min(0).max(WATCH_LIMITS.for_s.max),
})
export type WatchCondition = z.infer<typeof WatchCondition>

/** Who is told. Everybody may have themselves told; only administrators name others. */
export const WatchAudience = z.discriminatedUnion('to', [
  z.strictObject({ to: z.literal('me') }),
  z.strictObject({ to: z.literal('administrators') }),
  z.strictObject({ to: z.literal('people'), user_ids: z.array(Id).min(1).max(WATCH_LIMITS.people) }),
  z.strictObject({ to: z.literal('role'), role_id: Id }),
  z.strictObject({ to: z.literal('channel'), channel_id: Id }),
])
export type WatchAudience = z.infer<typeof WatchAudience>

export const WatchAction = z.strictObject({
  /** Null: it is only shown. */
  tell: WatchAudience.nullable(),
  /** Also when it is over. */
  on_recovery: z.boolean(),
  /** Seconds after which it is said again while it lasts; null: it is said once. */
  repeat_s: z.int().min(WATCH_LIMITS.repeat_s.min).max(WATCH_LIMITS.repeat_s.max).nullable(),
  /** A routine of the owner's that is started with the facts. */
  routine_id: Id.nullable(),
})
export type WatchAction = z.infer<typeof WatchAction>

/** Those that an installation begins with; they can be switched off, and not removed. */
export const WatchPreset = z.enum(['disk', 'services', 'backup', 'certificate'])
export type WatchPreset = z.infer<typeof WatchPreset>

export const WatchValue = z.union([z.number(), z.string()]).nullable()
export type WatchValue = z.infer<typeof WatchValue>
/** What a watch follows: a machine, a row, or both. */
export const WatchSubject = z.strictObject({
  /** Name of the machine, and of the row where rows are followed; empty: there is only one. */
  machine: z.string(),
  row: z.string(),
  /** `pending`: beyond the bound, and not for long enough yet. */
  phase: z.enum(['ok', 'pending', 'crossed']),
  /** The last one that is known. */
  value: WatchValue,
  /** Why there is none now, in the reader's language: it counts as neither crossed nor recovered. Null: all is well. */
  problem: z.string().nullable(),
  /** Since when it has been in this phase. */
  since: Timestamp,
})
export type WatchSubject = z.infer<typeof WatchSubject>

export const Watch = z.strictObject({
  watch_id: Id,
  name: z.string(),
  preset: WatchPreset.nullable(),
  /** It belongs to all administrators. */
  shared: z.boolean(),
  enabled: z.boolean(),
  source: WatchSource,
  condition: WatchCondition,
  interval_s: z.int(),
  action: WatchAction,
  looked_at: Timestamp.nullable(),
  next_at: Timestamp.nullable(),
  /** Why nothing can be looked at, such as a tool that would ask; in the reader's language. */
  problem: z.string().nullable(),
  counts: z.strictObject({ crossed: z.int(), pending: z.int(), unknown: z.int(), all: z.int() }),
  /** Those that matter most, at most 20. */
  subjects: z.array(WatchSubject),
})
export type Watch = z.infer<typeof Watch>

/** One time that a bound was crossed. */
export const Crossing = z.strictObject({
  crossing_id: Id,
  machine: z.string(),
  row: z.string(),
  value: WatchValue,
  crossed_at: Timestamp,
  /** Null: it lasts. */
  ended_at: Timestamp.nullable(),
  /** `recovered`: it is back; `gone`: what was followed is there no more; `stopped`: the watch was changed or switched off. */
  ended: z.enum(['recovered', 'gone', 'stopped']).nullable(),
  /** Somebody was to be told. */
  told: z.boolean(),
  /** What became of the routine; null: there was none. */
  routine: z.enum(['due', 'started', 'queued', 'skipped', 'refused']).nullable(),
})
export type Crossing = z.infer<typeof Crossing>
