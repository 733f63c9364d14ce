import type { Handlers } from '../../contract/route.ts'
import type { runsAdmin as contract } from '../../contract/runs-admin.ts'
import type { Chat } from './chat.ts'
import { liveRuns, stopLiveRuns } from './run-board.ts'

/** One handler per route of the board of live runs and the switches. */
export function runsAdminRoutes({ ports, runner }: Chat): Handlers<typeof contract> {
  const { db, switches, audit } = ports
  return {
    liveRuns: () => liveRuns(db.read),
    stopRun: ({ caller, params }) => stopLiveRuns(ports, runner, caller, params.run_id),
    stopAllRuns: ({ caller }) => stopLiveRuns(ports, runner, caller, null),
    switches: () => ({ items: switches.list() }),
    saveSwitch: async ({ caller, body }) => {
      await switches.save(audit, caller, body)
      return { ok: true, items: switches.list() }
    },
  }
}
