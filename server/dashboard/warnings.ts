import type { BackupFailure, DashboardWarning, Storage } from '../../contract/dashboard.ts'
import { LOCAL_HOST } from '../../contract/host-values.ts'
import { WatchPreset } from '../../contract/watch-values.ts'
import { iso } from '../kernel/time.ts'

const DAY = 86_400_000
/** Of a watch that is crossed, so many are named. */
const MACHINES = 5
/** Share of free disk space below which a warning is shown. */
const LITTLE_SPACE = 0.1
const NO_SPACE = 0.03
const CERTIFICATE_DAYS = 21
const BACKUP_DAYS = 7
/** Long enough to enter all of them again. */
const FORGOTTEN_DAYS = 14

/** An attempt to back up that has failed, and when it began (epoch milliseconds). */
export interface FailedBackup {
  readonly at: number
  readonly cause: BackupFailure
  readonly detail: string | null
}

/** A watch of all administrators that is crossed now. */
export interface CrossedWatch {
  readonly name: string
  readonly preset: string | null
  /** Machines; those of the installation itself have no name. */
  readonly machines: readonly { readonly host_id: string; readonly name: string }[]
}

/** The state of the installation to be judged, as plain data. */
export interface Circumstances {
  readonly now: number
  readonly engine: boolean
  /** Reached without TLS from other machines. */
  readonly plain: boolean
  /** When the server's certificate, or its authority, expires. */
  readonly certificate_ends: number | null
  readonly storage: Storage | null
  /** Nothing can be stored at present. */
  readonly disk_full: boolean
  readonly modules: readonly { readonly name: string; readonly state: string }[]
  /** When the installation was set up, and when it was last backed up. */
  readonly installed_at: number
  readonly backed_up_at: number | null
  /** The last attempt to back up, if it has failed. */
  readonly backup_failed: FailedBackup | null
  /** When sealed values were removed because their key was lost; null: never. */
  readonly forgotten_at: number | null
  readonly root: boolean
  /** Files from outside are read in a sandbox. */
  readonly files_isolated: boolean
  readonly switched_off: number
  /** Where the newest signed head of the audit log could not be sent; null: all is well. */
  readonly head_not_sent: string | null
  /** A channel for notifications whose newest message did not arrive; null: all is well. */
  readonly failing_channel: string | null
  readonly crossed_watches: readonly CrossedWatch[]
}

/** What is wrong or soon will be, most serious first. */
export function warnings(of: Circumstances): DashboardWarning[] {
  const found: DashboardWarning[] = []
  const add = (
    level: DashboardWarning['level'],
    code: DashboardWarning['code'],
    value: string | number | null = null,
    more: Pick<DashboardWarning, 'cause' | 'detail' | 'preset' | 'machines'> = {},
  ) => void found.push({ level, code, value, ...more })

  if (of.plain) add('danger', 'no_tls')
  if (of.disk_full) add('danger', 'disk_full')
  else if (of.storage !== null && of.storage.disk_total > 0) {
    const free = of.storage.disk_free / of.storage.disk_total
    if (free < LITTLE_SPACE) add(free < NO_SPACE ? 'danger' : 'warn', 'disk_nearly_full', Math.round(free * 100))
  }
  if (of.certificate_ends !== null && of.certificate_ends - of.now < CERTIFICATE_DAYS * DAY)
    add(of.certificate_ends < of.now ? 'danger' : 'warn', 'certificate_ends', iso(of.certificate_ends))
  for (const { name, state } of of.modules) {
    if (state === 'failed' || state === 'retrying' || state === 'degraded') add('warn', 'module_failed', name)
    if (state === 'needs_review') add('warn', 'module_review', name)
  }
  if (of.root) add('warn', 'runs_as_root')
  if (!of.files_isolated) add('warn', 'files_not_isolated')
  if (of.backup_failed !== null) {
    const { at, cause, detail } = of.backup_failed
    add('warn', 'backup_failed', iso(at), { cause, ...(detail !== null && { detail }) })
  }
  // A new installation has nothing to lose yet.
  if (of.now - (of.backed_up_at ?? of.installed_at) > BACKUP_DAYS * DAY)
    add('warn', 'no_backup', of.backed_up_at === null ? null : iso(of.backed_up_at))
  if (of.forgotten_at !== null && of.now - of.forgotten_at < FORGOTTEN_DAYS * DAY)
    add('warn', 'secrets_forgotten', iso(of.forgotten_at))
  if (of.head_not_sent !== null) add('warn', 'audit_head_failed', of.head_not_sent)
  if (of.failing_channel !== null) add('warn', 'channel_failed', of.failing_channel)
  for (const { name, preset, machines } of of.crossed_watches) {
    // What a warning above says is not said twice.
    const there = isSaid(preset, found)
      ? machines.filter(({ host_id }) => preset === 'disk' && host_id !== LOCAL_HOST)
      : machines
    if (there.length === 0) continue
    const names = there.flatMap((machine) => (machine.name === '' ? [] : [machine.name]))
    add('warn', 'watch_crossed', name, {
      preset: WatchPreset.nullable().parse(preset),
      machines: names.slice(0, MACHINES),
    })
  }
  if (of.switched_off > 0) add('info', 'switched_off', of.switched_off)
  if (!of.engine) add('info', 'no_engine')
  const order = ['danger', 'warn', 'info']
  return found.toSorted((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
}

/** Warnings that say of this machine what a watch says, too. */
const SAID: Readonly<Record<string, readonly DashboardWarning['code'][]>> = {
  disk: ['disk_full', 'disk_nearly_full'],
  backup: ['backup_failed', 'no_backup'],
  certificate: ['certificate_ends'],
}

function isSaid(preset: string | null, found: readonly DashboardWarning[]): boolean {
  return preset !== null && found.some(({ code }) => SAID[preset]?.includes(code))
}
