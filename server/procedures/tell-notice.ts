import type { Trx } from '../db/database.ts'

/** Tells people who look at no page, in the transaction of what happened. `notifications` implements it, `app` fills it. */
export type TellNotice = (
  trx: Trx,
  notice: {
    event: 'review_wanted'
    /** Whom: persons, everybody of a role, or a shared channel. */
    to: { user_ids: readonly string[] } | { role_id: string } | { channel_id: string }
    /** What it is about, and the address of the page that shows it (a path without a token). */
    ref_id: string
    path: string
    /** A name that a person gave, for the message: kept to one line. */
    name: string
    detail?: Record<string, string | number>
    /** One message for the same key and place. */
    key: string
  },
) => Promise<void>
