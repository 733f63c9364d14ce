import type { hostJournal as contract } from '../../../contract/host-journal.ts'
import type { Handlers } from '../../../contract/route.ts'
import type { JournalFollows } from './journal-follows.ts'

/** One handler for each route of following logs. */
export function journalRoutes(follows: JournalFollows): Handlers<typeof contract> {
  return {
    followJournal: async ({ caller, params, body }) => {
      const { ends_at } = await follows.start(caller, params.host_id, body)
      return { ok: true, follow_key: body.follow_key, ends_at }
    },
    keepJournal: async ({ caller, params, body }) => {
      await follows.keep(caller, params.host_id, body.follow_key)
      return { ok: true }
    },
    stopJournal: async ({ caller, params, body }) => {
      await follows.stop(caller, params.host_id, body.follow_key)
      return { ok: true }
    },
  }
}
