import type { AuditLog } from '../chat/ports/audit-log.ts'
import type { HostList } from '../chat/ports/hosts.ts'
import type { Policy } from '../chat/ports/policy.ts'
import type { Secrets } from '../chat/ports/secrets.ts'
import type { Tools } from '../chat/ports/tools.ts'
import type { Database } from '../db/database.ts'
import type { Log } from '../kernel/log.ts'
import type { TellNotice } from '../chat/ports/notices.ts'
import type { Figures, TellWatchChange, WatchRoutines } from './watch-ports.ts'

/** What watches need of other parts; `app` fills it. */
export interface WatchesContext {
  readonly db: Database
  readonly log: Pick<Log, 'warn'>
  readonly audit: AuditLog
  /** With what is switched off for everyone denied. */
  readonly policy: Pick<Policy, 'forUser'>
  readonly tools: Pick<Tools, 'find' | 'call' | 'ready'>
  readonly secrets: Pick<Secrets, 'mask'>
  readonly hosts: Pick<HostList, 'read'>
  readonly figures: Figures
  readonly tellNotice: TellNotice
  readonly tellChange: TellWatchChange
  readonly routines: WatchRoutines
  /** The time that all processes share, in epoch milliseconds: the database's. */
  readonly time: () => Promise<number>
}

/** Wakes every process after a change of watches. */
export const WATCHES_TOPIC = 'watches'
