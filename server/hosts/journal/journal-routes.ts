import type { hostJournal as contract } from '../../../contract/host-journal.ts'
import type { Handlers } from '../../../contract/route.ts'
import type { JournalFollows } from './journal-follows.ts'

/** One handler for each route of following logs. */
export function journalRoutes(follows: JournalFollows): Handlers<typeof contract> {
  return {
    followJournal: async ({ caller, params, body }) => {
      const { ends_at } = await follows.start(caller, params.host_id, body)
      return { ok: true, follow_id: body.follow_id, ends_at }
    },
    keepJournal: async ({ caller, params: { host_id, follow_id } }) => {
      await follows.keep(caller, host_id, follow_id)
      return { ok: true }
    },
    stopJournal: async ({ caller, params }) => {
      await follows.stop(caller, params.follow_id)
      return { ok: true }
    },
  }
}
