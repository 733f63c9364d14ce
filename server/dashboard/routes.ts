import type { dashboard as contract } from '../../contract/dashboard.ts'
import type { ModuleEntry } from '../../contract/modules.ts'
import type { Caller, Handlers } from '../../contract/route.ts'
import type { Meters, UsageDay } from '../../contract/usage.ts'
import type { Database } from '../db/database.ts'
import { isoOrNull } from '../kernel/time.ts'
import type { StorageMeter } from './storage.ts'
import type { MachineEye } from './machine-state.ts'
import { readLines } from './samples.ts'
import { type CrossedWatch, type FailedBackup, warnings } from './warnings.ts'

/** What the dashboard shows from other features; `app` fills it. */
export interface DashboardPorts {
  readonly db: Database
  readonly storage: StorageMeter
  readonly eye: MachineEye
  readonly engine: () => { ai_mode: 'model' | 'direct'; model: string | null }
  readonly meters: (caller: Caller) => Promise<{ day: Meters; month: Meters }>
  /** The last 30 days of one user, or of all users (null). */
  readonly days: (user_id: string | null) => Promise<UsageDay[]>
  readonly modules: (language: string) => readonly Pick<ModuleEntry, 'name' | 'display_name' | 'state'>[]
  readonly liveRuns: () => Promise<number>
  readonly diskFull: () => boolean
  readonly failedBackup: () => Promise<FailedBackup | null>
  readonly switchedOff: () => number
  /** Where the newest signed head of the audit log could not be sent. */
  readonly headNotSent: () => Promise<string | null>
  readonly failingChannel: () => Promise<string | null>
  /** Watches of all administrators that are crossed now. */
  readonly crossedWatches: () => Promise<readonly CrossedWatch[]>
  /** Whether files from outside are read in a sandbox here. */
  readonly filesIsolated: () => boolean
  /** Whether the service is reached without TLS, and when its certificate expires (epoch milliseconds). */
  readonly transport: () => { plain: boolean; certificate_ends: number | null }
}

const TROUBLE: readonly string[] = [
  'failed',
  'retrying',
  'degraded',
  'incompatible',
  'needs_review',
  'needs_configuration',
]

/** The dashboard's only handler: a few rows by key, and what is already known. */
export function dashboardRoutes(ports: DashboardPorts): Handlers<typeof contract> {
  return {
    dashboard: async ({ caller }) => {
      const engine = ports.engine()
      const usage = {
        ...(await ports.meters(caller)),
        days: await ports.days(caller.admin ? null : caller.user_id),
        of: caller.admin ? ('everybody' as const) : ('me' as const),
      }
      if (!caller.admin)
        return { engine, usage, modules: null, live_runs: null, storage: null, warnings: [], machine: null }
      const modules = ports.modules(caller.language)
      const storage = ports.storage.last
      const known = await backups(ports.db)
      const backup_failed = await ports.failedBackup()
      return {
        engine,
        usage,
        modules: {
          running: modules.filter(({ state }) => state === 'running').length,
          off: modules.filter(({ state }) => state === 'disabled').length,
          trouble: modules
            .filter(({ state }) => TROUBLE.includes(state))
            .map(({ name, display_name, state }) => ({ name, title: display_name, state })),
        },
        live_runs: await ports.liveRuns(),
        storage,
        warnings: warnings({
          now: Date.now(),
          engine: engine.ai_mode === 'model',
          ...ports.transport(),
          storage,
          disk_full: ports.diskFull(),
          modules: modules.map(({ display_name, state }) => ({ name: display_name, state })),
          ...known,
          backup_failed,
          root: process.getuid?.() === 0,
          files_isolated: ports.filesIsolated(),
          switched_off: ports.switchedOff(),
          head_not_sent: await ports.headNotSent(),
          failing_channel: await ports.failingChannel(),
          crossed_watches: await ports.crossedWatches(),
        }),
        machine: {
          ...(await ports.eye.look('page')),
          backup_at: isoOrNull(known.backed_up_at),
          backup_failed_at: isoOrNull(backup_failed?.at ?? null),
          lines: await readLines(ports.db),
        },
      }
    },
  }
}

/** When the first user was created, when the last backup was written, and when secrets were forgotten. */
async function backups({ read }: Database): Promise<{
  installed_at: number
  backed_up_at: number | null
  forgotten_at: number | null
}> {
  const first = await read.selectFrom('user').select('created_at').orderBy('user_id').limit(1).executeTakeFirst()
  const rows = await read
    .selectFrom('setting')
    .select(['key', 'value'])
    .where('key', 'in', ['last_backup', 'secrets.forgotten'])
    .execute()
  const at = (key: string) => {
    const row = rows.find((each) => each.key === key)
    return row === undefined ? null : timeOf(row.value)
  }
  return {
    installed_at: first?.created_at ?? Date.now(),
    backed_up_at: at('last_backup'),
    forgotten_at: at('secrets.forgotten'),
  }
}

/** The setting is written as `{"at": …}`: epoch milliseconds, or an ISO date. */
function timeOf(value: string): number | null {
  const { at } = JSON.parse(value) as { at?: unknown }
  if (typeof at === 'number') return at
  const time = typeof at === 'string' ? Date.parse(at) : NaN
  return Number.isNaN(time) ? null : time
}
