import type { Handlers } from '../../contract/route.ts'
import type { runsAdmin as contract } from '../../contract/runs-admin.ts'
import type { Database } from '../db/database.ts'
import type { Chat } from './chat.ts'
import type { AuditLog } from './ports/audit-log.ts'
import type { Switches } from './run/switches.ts'
import { pastRuns } from './past-runs.ts'
import { liveRuns } from './run-board.ts'

export interface RunsAdminOptions {
  readonly db: Database
  readonly chat: Chat
  readonly switches: Switches
  readonly audit: AuditLog
}

/** One handler for each route of the live-run board and the switches. */
export function runsAdminRoutes({ db, chat, switches, audit }: RunsAdminOptions): Handlers<typeof contract> {
  return {
    liveRuns: () => liveRuns(db.read),
    pastRuns: ({ caller, query }) => pastRuns(db.read, caller, query),
    stopRun: ({ caller, params }) => chat.stopLive(caller, params.run_id),
    stopAllRuns: ({ caller }) => chat.stopLive(caller, null),
    switches: () => ({ items: switches.list() }),
    saveSwitch: async ({ caller, body }) => {
      await switches.save(audit, caller, body)
      return { ok: true, items: switches.list() }
    },
  }
}
