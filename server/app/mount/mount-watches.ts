import { contract } from '../../../contract/index.ts'
import { administrators } from '../../accounts/users/administrators.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Certificates } from '../../certificates/certificates.ts'
import type { Activity } from '../../chat/history/activity.ts'
import type { Policy } from '../../chat/ports/policy.ts'
import type { Secrets } from '../../chat/ports/secrets.ts'
import type { Tools } from '../../chat/ports/tools.ts'
import type { MachineEye } from '../../dashboard/machine-state.ts'
import type { Database } from '../../db/database.ts'
import { databaseTime } from '../../db/database-time.ts'
import type { KnownHosts } from '../../hosts/host-list.ts'
import type { HttpServer } from '../../http/server.ts'
import { loadedAtFirst } from '../../kernel/loaded-at-first.ts'
import type { Log } from '../../kernel/log.ts'
import type { Tasks } from '../../kernel/tasks.ts'
import { Watches } from '../../watches/watches.ts'
import type { WatchesContext } from '../../watches/watches-context.ts'
import type { TellNotice } from '../../chat/ports/notices.ts'
import type { WatchRoutines } from '../../watches/watch-ports.ts'
import { certificateEnds } from '../certificate-ends.ts'
import { watchedFigures } from '../unattended/watched-figures.ts'
import type { OpenedHosts } from './mount-hosts.ts'

/** Milliseconds between two looks at whether something is due. */
const LOOK = 15_000

interface Of {
  readonly db: Database
  readonly log: Log
  readonly activity: Activity
  readonly accounts: Pick<Accounts, 'audit'>
  /** With what is switched off for everyone denied. */
  readonly policy: Pick<Policy, 'forUser'>
  readonly tools: Tools
  readonly secrets: Secrets
  readonly known: KnownHosts
  readonly hosts: Pick<OpenedHosts, 'figures'>
  readonly eye: MachineEye
  readonly certificates: Certificates
  readonly tasks: Tasks
  readonly routines: WatchRoutines
  readonly tellNotice: TellNotice
}

/** Mounts what is watched, and looks at what is due, as long as the service runs. */
export function mountWatches(server: Pick<HttpServer, 'mount'>, of: Of): Disposable {
  const {
    db,
    log,
    activity,
    accounts,
    policy,
    tools,
    secrets,
    known,
    hosts,
    eye,
    certificates,
    routines,
    tasks,
    tellNotice,
  } = of
  const context: WatchesContext = {
    db,
    log,
    audit: accounts.audit,
    policy,
    tools,
    secrets,
    hosts: known,
    figures: watchedFigures({
      db,
      eye,
      hosts: (...which) => hosts.figures(...which),
      certificateEnds: () => certificateEnds(certificates),
    }),
    tellNotice,
    async tellChange(trx, user_id, watch_id) {
      const user_ids = user_id === null ? await administrators(trx) : [user_id]
      await activity.appendForEach(trx, user_ids, { type: 'watch.changed', data: { watch_id } })
    },
    routines,
    time: () => databaseTime(db.read, db.dialect),
  }
  server.mount(
    contract.watches,
    loadedAtFirst(contract.watches, async () => (await import('../../watches/routes.ts')).watchRoutes(context)),
  )
  const tick = (signal: AbortSignal): Promise<void> => watches.tick(signal)
  const watches: Watches = new Watches(context, () => tasks.spawn('look at what is watched', tick))
  tasks.every('look at what is watched', LOOK, tick)
  return watches
}
