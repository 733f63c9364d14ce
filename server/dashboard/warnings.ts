import type { DashboardWarning, Storage } from '../../contract/dashboard.ts'
import { iso } from '../kernel/time.ts'

const DAY = 86_400_000
/** Of the disk, below which it is told. */
const LITTLE_SPACE = 0.1
const NO_SPACE = 0.03
const CERTIFICATE_DAYS = 21
const BACKUP_DAYS = 7

/** What is judged: the state of the installation, as plain data. */
export interface Circumstances {
  readonly now: number
  readonly engine: boolean
  /** Everybody reaches it without TLS, from other machines. */
  readonly plain: boolean
  /** When the certificate that is shown, or its authority, ends. */
  readonly certificate_ends: number | null
  readonly storage: Storage | null
  readonly modules: readonly { readonly name: string; readonly state: string }[]
  /** When the installation was set up, and when it was backed up last. */
  readonly installed_at: number
  readonly backed_up_at: number | null
  readonly root: boolean
  readonly switched_off: number
}

/** What is wrong or soon will be, the worst first. */
export function warnings(of: Circumstances): DashboardWarning[] {
  const found: DashboardWarning[] = []
  const add = (
    level: DashboardWarning['level'],
    code: DashboardWarning['code'],
    value: string | number | null = null,
  ) => void found.push({ level, code, value })

  if (of.plain) add('danger', 'no_tls')
  if (of.storage !== null && of.storage.disk_total > 0) {
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
  // A new installation has nothing to lose yet.
  if (of.now - (of.backed_up_at ?? of.installed_at) > BACKUP_DAYS * DAY)
    add('warn', 'no_backup', of.backed_up_at === null ? null : iso(of.backed_up_at))
  if (of.switched_off > 0) add('info', 'switched_off', of.switched_off)
  if (!of.engine) add('info', 'no_engine')
  const order = ['danger', 'warn', 'info']
  return found.toSorted((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
}
