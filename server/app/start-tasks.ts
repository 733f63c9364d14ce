import type { Accounts } from '../accounts/accounts.ts'
import { keepChained } from '../accounts/audit/keep-chained.ts'
import type { Certificates } from '../certificates/certificates.ts'
import type { Config } from './config.ts'
import { countLiveRuns } from '../chat/run-board.ts'
import type { Catalogue } from '../modules/catalogue/catalogue.ts'
import type { MachineEye } from '../dashboard/machine-state.ts'
import { keepSample } from '../dashboard/samples.ts'
import type { Database } from '../db/database.ts'
import type { StoredFiles } from '../files/open-files.ts'
import type { Objects } from './open-objects.ts'
import type { HttpServer } from '../http/server.ts'
import type { Tasks } from '../kernel/tasks.ts'
import { removeLeftovers } from '../operation/leftovers.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Receipts } from '../receipts/receipts.ts'
import type { OpenedHosts } from './mount/mount-hosts.ts'
import { createRetention } from '../operation/retention.ts'
import type { OpenedRoutines } from '../routines/open-routines.ts'
import { pruneCrossings } from '../watches/watches.ts'
import type { StorageWatch } from '../operation/storage-watch.ts'

const SPACE = 5000
const MINUTE = 60_000
const LOOK = 5 * MINUTE
const SWEEP = 10 * 60_000
const RETENTION = 3_600_000

/** Starts all periodic tasks, once the service is listening. */
export function startTasks(
  tasks: Tasks,
  of: {
    readonly db: Database
    readonly accounts: Accounts
    readonly catalogue: Pick<Catalogue, 'context'>
    readonly storedFiles: Pick<StoredFiles, 'sweep' | 'removeUnused'>
    readonly objects: Pick<Objects, 'packageSweep'>
    readonly certificates: Certificates
    readonly server: Pick<HttpServer, 'useIdentity'>
    readonly storage: StorageWatch
    readonly config: Pick<Config, 'dataFolder' | 'keepUsage'>
    readonly eye: MachineEye
    readonly receipts: Pick<Receipts, 'sweep'>
    readonly hosts: Pick<OpenedHosts, 'look'>
    readonly notifications: Pick<Notifications, 'prune'>
    readonly routines: Pick<OpenedRoutines, 'prune'>
  },
): void {
  const { accounts, certificates, config, db, eye, objects, storage, storedFiles } = of
  tasks.every('refresh certificates', certificates.source?.refreshEvery ?? SWEEP, () =>
    certificates.refresh((pair) => of.server.useIdentity(pair)),
  )
  tasks.every('look at the disk', SPACE, () => storage.look())
  tasks.every('sweep accounts', SWEEP, () => accounts.sweep())
  tasks.every('sweep files', SWEEP, async (signal) => void (await storedFiles.sweep(signal)))
  tasks.every('sweep packages', SWEEP, async (signal) => {
    await objects.packageSweep.unused(signal)
    await objects.packageSweep.strays(signal)
  })
  tasks.every('remove unused files', MINUTE, async (signal) => void (await storedFiles.removeUnused(signal)))
  tasks.every('sweep calls of modules', SWEEP, async () => of.catalogue.context.shared?.sweep())
  const retain = createRetention(db, { keepUsageDays: config.keepUsage })
  tasks.every('remove what is too old', RETENTION, async (signal) => {
    await retain(signal)
    await of.notifications.prune(signal)
    await of.routines.prune(signal)
    await pruneCrossings(db, signal)
    await removeLeftovers(config.dataFolder)
  })
  tasks.every('sample the machine', MINUTE, () => keepSample(db, eye, () => countLiveRuns(db.read)))
  tasks.every('look at machines', LOOK, (signal) => of.hosts.look(signal))
  keepChained(tasks, db, accounts.audit)
  tasks.every('keep the audit log', SWEEP, (signal) => accounts.audit.sweep(signal))
  tasks.every('sign the audit log', MINUTE, async (signal) => void (await of.receipts.sweep(signal)))
}
