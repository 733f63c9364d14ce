import type { dashboard as contract } from '../../contract/dashboard.ts'
import type { Handlers } from '../../contract/route.ts'
import type { Administered } from './administered.ts'
import { certificateEnds } from './certificate-ends.ts'
import { countLiveRuns } from '../chat/run-board.ts'
import type { Config } from './config.ts'
import { dashboardRoutes } from '../dashboard/routes.ts'
import { StorageMeter } from '../dashboard/storage.ts'
import { failingChannel } from '../notifications/deliveries.ts'
import { moduleEntries } from '../modules/catalogue/store/module-entry.ts'
import { failedBackup } from '../operation/backup/backup-attempt.ts'
import { metersOf } from '../usage/meters.ts'
import { dayOf } from '../kernel/time.ts'
import { usageByDay } from '../usage/usage-days.ts'
import { failingPlace } from '../receipts/heads.ts'
import { isIsolated } from '../sandbox/start-reader.ts'
import { crossedShared } from '../watches/crossed.ts'

const DASHBOARD_DAYS = 30

/** The handlers of the dashboard, which reads from many parts. */
export function dashboardHandlers(of: Administered): Handlers<typeof contract> {
  const { config, db, model, catalogue, switches, tasks, certificates, machine, storage, eye } = of
  return dashboardRoutes({
    db,
    storage: new StorageMeter(db, config.dataFolder, (work) => tasks.spawn('measure storage', work)),
    eye,
    engine: () => model.describe(),
    meters: (caller) => metersOf(db.read, caller, Date.now()),
    days: (user_id) => usageByDay(db.read, dayOf(Date.now(), DASHBOARD_DAYS - 1), user_id),
    modules: (language) => moduleEntries(catalogue.context, language),
    liveRuns: () => countLiveRuns(db.read),
    failedBackup: () => failedBackup(db, config.dataFolder),
    diskFull: () => storage.full,
    switchedOff: () => switches.list().length,
    headNotSent: () => failingPlace(db),
    failingChannel: () => failingChannel(db),
    crossedWatches: () => crossedShared(db),
    filesIsolated: () => isIsolated(machine.now()),
    transport: () => ({
      plain: certificates.source === null && isPlain(config),
      certificate_ends: certificateEnds(certificates),
    }),
  })
}

/** Whether people on other machines reach it without any encryption on the way. */
function isPlain({ host, publicUrl }: Config): boolean {
  const reached = publicUrl === null ? `http://${host.includes(':') ? `[${host}]` : host}` : publicUrl
  const { protocol, hostname } = new URL(reached)
  return protocol === 'http:' && !/^(localhost|127\.|\[::1\])/.test(hostname)
}
