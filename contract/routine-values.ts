import { z } from 'zod'
import { characters, COMMAND_PROMPT_LIMIT, isBlank } from './commands.ts'
import { EngineChoice } from './engine-choice.ts'
import { RunStatus } from './messages.ts'
import { TokenScope } from './rules.ts'
import { Id, Timestamp } from './values.ts'

export const ROUTINE_NAME_LIMIT = 80
/** Of one user. */
export const ROUTINES_LIMIT = 100
/** Of one routine. */
export const HOOKS_LIMIT = 5
/** Times that are shown before anything is stored. */
export const NEXT_TIMES = 5
/** Seconds between two times of a schedule. */
export const SHORTEST_INTERVAL_S = 300
/** Runs that end badly, one after the other, before a routine is paused. */
export const FAILURES_LIMIT = 3
/** Seconds for which a report that cannot be made is tried again. */
export const REPORT_TRIED_S = 86_400
/** Days for which the history is kept. */
export const FIRES_KEPT_DAYS = 90
/** Maximum bytes of a webhook's body. */
export const HOOK_BODY_LIMIT = 256 * 1024

const DAY_S = 86_400

/** What a routine does: a message as somebody would write it, or a reviewed procedure. */
export const RoutineWork = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('text'),
    /** A frozen copy: changing a quick command changes no routine. */
    text: z
      .string()
      .refine((text) => !isBlank(text), 'The message is empty')
      .refine((text) => characters(text) <= COMMAND_PROMPT_LIMIT, `At most ${COMMAND_PROMPT_LIMIT} characters`)
      .meta({ minLength: 1, maxLength: COMMAND_PROMPT_LIMIT }),
    /** null: whatever is the default by then. */
    engine: EngineChoice.nullable(),
  }),
  z.strictObject({
    kind: z.literal('procedure'),
    procedure_id: Id,
    version: z.int().min(1),
    values: z.record(z.string(), z.unknown()),
  }),
])
export type RoutineWork = z.infer<typeof RoutineWork>
export type ProcedureWork = Extract<RoutineWork, { kind: 'procedure' }>

/** While a run of the routine has not ended: the next one is left out, or one of them waits for it. */
export const Overlap = z.enum(['skip', 'queue_one'])
export type Overlap = z.infer<typeof Overlap>

export const RoutineLimits = z.strictObject({
  overlap: Overlap,
  /** For how long a missed time is made up for, in seconds. Of several, only the newest is. */
  catch_up_s: z
    .int()
    .min(0)
    .max(7 * DAY_S),
  /** Seconds of work; waiting for a decision does not count. */
  run_limit_s: z.int().min(10).max(DAY_S),
  /** Tokens of one run; null: as the role allows. */
  token_budget: z.int().min(1000).max(100_000_000).nullable(),
  /** Calls of one run; null: any number. */
  call_budget: z.int().min(1).max(1000).nullable(),
  /** Seconds for which an approval card of a run waits. */
  card_life_s: z
    .int()
    .min(60)
    .max(7 * DAY_S),
})
export type RoutineLimits = z.infer<typeof RoutineLimits>

/** A cron expression of five parts, and the zone that it counts in. */
export const Schedule = z.strictObject({ cron: z.string().trim().min(1).max(200), zone: z.string().min(1).max(64) })
export type Schedule = z.infer<typeof Schedule>

/** Why a routine rests: its owner, three failures, a disabled owner, a missing permission, or an administrator. */
export const PausedBy = z.enum(['hand', 'failures', 'owner_disabled', 'permission', 'admin'])
export type PausedBy = z.infer<typeof PausedBy>

export const FireCause = z.enum(['time', 'hand', 'hook', 'watch'])
export type FireCause = z.infer<typeof FireCause>
/**
 * `queued`: it waits for the run before it. `missed`: its time had passed for too long; one entry for several times.
 * `refused`: it could not begin, and `reason` says why.
 */
export const FireResult = z.enum(['started', 'queued', 'skipped', 'missed', 'refused'])
export type FireResult = z.infer<typeof FireResult>

/** An entry of the history. */
export const RoutineFire = z.strictObject({
  fire_id: Id,
  cause: FireCause,
  due_at: Timestamp,
  at: Timestamp,
  outcome: FireResult,
  /** In the reader's language; null where there is nothing to say. */
  reason: z.string().nullable(),
  /** How many times it stands for; more than 1 only for `missed`. */
  times: z.int(),
  /** Null once its conversation is gone, and where nothing began. */
  run: z
    .strictObject({
      run_id: Id,
      conversation_id: Id,
      status: RunStatus,
      ended_at: Timestamp.nullable(),
      error_code: z.string().nullable(),
    })
    .nullable(),
  /** The report of its run, while the file is there. */
  report: z.strictObject({ file_id: Id, name: z.string() }).nullable(),
})
export type RoutineFire = z.infer<typeof RoutineFire>

export const Routine = z.strictObject({
  routine_id: Id,
  name: z.string(),
  work: RoutineWork,
  /** What its title is in the list: the command, or the title of the procedure. */
  title: z.string(),
  /** All that its runs may use, frozen when it was saved; the owner's rights of the moment cut it further. */
  scope: z.array(TokenScope),
  /** null: only by hand or by a webhook. */
  schedule: Schedule.nullable(),
  /** A run that ends well ends with a report: its answer and tables as files, and a message with the link. */
  report: z.boolean(),
  ...RoutineLimits.shape,
  /** Null while it is on. */
  paused_by: PausedBy.nullable(),
  paused_at: Timestamp.nullable(),
  /** Bad ends of runs since the last good one. */
  failures: z.int(),
  /** The next times, the first one as stored; none without a schedule and while it is paused. */
  next: z.array(Timestamp),
  /** Its newest entry. */
  last: RoutineFire.nullable(),
  revision: z.int(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Routine = z.infer<typeof Routine>

/** A routine of anybody, without what it does. */
export const AdminRoutine = z.strictObject({
  routine_id: Id,
  user_id: Id,
  username: z.string(),
  name: z.string(),
  kind: z.enum(['text', 'procedure']),
  schedule: Schedule.nullable(),
  paused_by: PausedBy.nullable(),
  failures: z.int(),
  next_at: Timestamp.nullable(),
  /** Runs that have not ended. */
  running: z.int(),
  created_at: Timestamp,
})
export type AdminRoutine = z.infer<typeof AdminRoutine>

/** `generic`: signed as Standard Webhooks say. `alertmanager`: a bearer token, because it cannot sign. */
export const HookKind = z.enum(['generic', 'alertmanager'])
export type HookKind = z.infer<typeof HookKind>

/**
 * Variables of the message that a webhook fills: variable → name of a label of the alert, or of a member of the body.
 * Only typed ones (number, date, machine, choice): anything else reaches the run as data, never as part of the message.
 */
export const HookLabels = z.record(z.string().min(1).max(40), z.string().min(1).max(200))

export const RoutineHook = z.strictObject({
  hook_id: Id,
  kind: HookKind,
  /** Where it is posted to. */
  path: z.string(),
  labels: HookLabels,
  /** Whether the end of an alert starts a run, too. */
  resolved: z.boolean(),
  created_at: Timestamp,
  /** When it last proved itself. */
  used_at: Timestamp.nullable(),
})
export type RoutineHook = z.infer<typeof RoutineHook>
