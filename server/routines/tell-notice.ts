import type { Trx } from '../db/database.ts'

/** Tells people who look at no page what became of something that nobody watches. `notifications` does, `app` fills it. */
export type TellNotice = (
  trx: Trx,
  notice: {
    readonly event:
      | 'routine_paused'
      | 'routine_failed'
      | 'routine_stopped'
      | 'report_ready'
      | 'review_wanted'
      | 'watch_crossed'
      | 'watch_recovered'
    /** Whom: persons, everybody of a role, or a shared channel. */
    readonly to:
      | { readonly user_ids: readonly string[] }
      | { readonly role_id: string }
      | { readonly channel_id: string }
    /** What it is about, and the address of the page that shows it (a path without a token). */
    readonly ref_id: string
    readonly path: string
    /** A name that the person gave themselves, kept to one line. */
    readonly name: string
    readonly detail?: Record<string, string | number>
    /** One message for the same key and place. */
    readonly key: string
  },
) => Promise<void>
