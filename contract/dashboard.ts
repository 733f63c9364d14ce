import { z } from 'zod'
import { AiMode } from './chat.ts'
import { json, route } from './route.ts'
import { WatchPreset } from './watch-values.ts'
import { Meters, UsageDay } from './usage.ts'

/** What is wrong or soon will be; for each, the page has a text and a link to the fix. */
export const WarningCode = z.enum([
  'no_engine',
  'no_tls',
  'certificate_ends',
  'disk_full',
  'disk_nearly_full',
  'module_failed',
  'module_review',
  'no_backup',
  'backup_failed',
  'secrets_forgotten',
  'runs_as_root',
  'files_not_isolated',
  'switched_off',
  'audit_head_failed',
  'channel_failed',
  'watch_crossed',
])
/** Why a backup failed: no room, a place that may not be written, a process that was stopped or killed, or anything else. */
export const BackupFailure = z.enum(['no_space', 'not_writable', 'stopped', 'other'])
export type BackupFailure = z.infer<typeof BackupFailure>

export const DashboardWarning = z.strictObject({
  code: WarningCode,
  level: z.enum(['danger', 'warn', 'info']),
  /** The value that the text mentions: a module, a time, a percentage. */
  value: z.union([z.string(), z.number()]).nullable(),
  /** Of `backup_failed`: why, and what the program said, in English and for a person to read. */
  cause: BackupFailure.optional(),
  detail: z.string().optional(),
  /** Of `watch_crossed`: which of those that an installation begins with, and the machines, at most five. */
  preset: WatchPreset.nullable().optional(),
  machines: z.array(z.string()).optional(),
})
export type DashboardWarning = z.infer<typeof DashboardWarning>

/** Bytes. Measured in the background, at most once a minute. */
export const Storage = z.strictObject({
  database: z.int(),
  files: z.int(),
  modules: z.int(),
  caches: z.int(),
  backups: z.int(),
  /** On the disk of the data folder. */
  disk_free: z.int(),
  disk_total: z.int(),
  measured_at: z.iso.datetime(),
})
export type Storage = z.infer<typeof Storage>

const Share = z.strictObject({ used: z.number(), total: z.number() })
const Line = z.array(z.number().nullable())
/** The machine now and over a day. Null is what this machine cannot tell. */
export const MachineState = z.strictObject({
  /** Share of all cores, 0 to 1. */
  cpu: z.number().nullable(),
  /** Bytes. */
  memory: Share.nullable(),
  /** The fullest file system, in bytes. */
  disk: Share.extend({ path: z.string() }).nullable(),
  /** Null where systemd does not manage the machine. */
  failed_services: z.int().nullable(),
  backup_at: z.iso.datetime().nullable(),
  /** When the last attempt to back up began, if it has failed and none has succeeded since. */
  backup_failed_at: z.iso.datetime().nullable().optional(),
  /** The last 24 hours, oldest first, a point for each quarter of an hour; null where nothing was measured. */
  lines: z.strictObject({
    /** Shares, 0 to 1. */
    cpu: Line,
    memory: Line,
    disk: Line,
    failed_services: Line,
    /** Unfinished runs of everybody. */
    runs: Line,
  }),
})
export type MachineState = z.infer<typeof MachineState>

export const Dashboard = z.strictObject({
  engine: z.strictObject({ ai_mode: AiMode, model: z.string().nullable() }),
  usage: z.strictObject({
    day: Meters,
    month: Meters,
    /** The last 30 days: the caller's own, or everyone's for administrators. */
    days: z.array(UsageDay),
    of: z.enum(['me', 'everybody']),
  }),
  /** For administrators; null for everyone else. */
  modules: z
    .strictObject({
      running: z.int(),
      off: z.int(),
      trouble: z.array(z.strictObject({ name: z.string(), title: z.string(), state: z.string() })),
    })
    .nullable(),
  live_runs: z.int().nullable(),
  /** Also null while it is being measured for the first time. */
  storage: Storage.nullable(),
  warnings: z.array(DashboardWarning),
  /** For administrators; null for everyone else. */
  machine: MachineState.nullable().optional(),
})
export type Dashboard = z.infer<typeof Dashboard>

export const dashboard = {
  dashboard: route({
    method: 'GET',
    path: '/api/dashboard',
    summary: 'The state of things: engine, my use; for administrators modules, storage, warnings',
    access: 'session',
    tokenNeeds: 'conversations.read',
    response: json(Dashboard),
    errors: [],
  }),
}
