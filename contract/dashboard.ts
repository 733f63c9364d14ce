import { z } from 'zod'
import { AiMode } from './chat.ts'
import { json, route } from './route.ts'
import { Meters, UsageDay } from './usage.ts'

/** What is wrong, or will be: the page has a text and a way to the fix for each. */
export const WarningCode = z.enum([
  'no_engine',
  'no_tls',
  'certificate_ends',
  'disk_nearly_full',
  'module_failed',
  'module_review',
  'no_backup',
  'runs_as_root',
  'switched_off',
])
export const DashboardWarning = z.strictObject({
  code: WarningCode,
  level: z.enum(['danger', 'warn', 'info']),
  /** What the text names: a module, a time, a share of 100. */
  value: z.union([z.string(), z.number()]).nullable(),
})
export type DashboardWarning = z.infer<typeof DashboardWarning>

/** Bytes. Measured in the background, at most once a minute. */
export const Storage = z.strictObject({
  database: z.int(),
  files: z.int(),
  modules: z.int(),
  caches: z.int(),
  backups: z.int(),
  /** Of the disk with the data folder. */
  disk_free: z.int(),
  disk_total: z.int(),
  measured_at: z.iso.datetime(),
})
export type Storage = z.infer<typeof Storage>

export const Dashboard = z.strictObject({
  engine: z.strictObject({ ai_mode: AiMode, model: z.string().nullable() }),
  usage: z.strictObject({
    day: Meters,
    month: Meters,
    /** The last 30 days: mine, or everybody's for administrators. */
    days: z.array(UsageDay),
    of: z.enum(['me', 'everybody']),
  }),
  /** For administrators; null for everybody else. */
  modules: z
    .strictObject({
      running: z.int(),
      off: z.int(),
      trouble: z.array(z.strictObject({ name: z.string(), title: z.string(), state: z.string() })),
    })
    .nullable(),
  live_runs: z.int().nullable(),
  /** Null also while it is measured for the first time. */
  storage: Storage.nullable(),
  warnings: z.array(DashboardWarning),
})
export type Dashboard = z.infer<typeof Dashboard>

export const dashboard = {
  dashboard: route({
    method: 'GET',
    path: '/api/dashboard',
    summary: 'The state of things: engine, my use; for administrators modules, storage, warnings',
    access: 'session',
    response: json(Dashboard),
    errors: [],
  }),
}
