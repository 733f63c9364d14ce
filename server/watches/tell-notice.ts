import type { Trx } from '../db/database.ts'

/**
 * The port through which people are told of something, in the transaction of what it tells of. `notifications` implements
 * it, `app` fills it.
 */
export type TellNotice = (
  trx: Trx,
  notice: {
    readonly event: 'watch_crossed' | 'watch_recovered'
    /** Whom: persons, everybody of a role, or a shared channel. */
    readonly to:
      | { readonly user_ids: readonly string[] }
      | { readonly role_id: string }
      | { readonly channel_id: string }
    /** What it is about, and the address of the page that shows it (a path without a token). */
    readonly ref_id: string
    readonly path: string
    /** The name that a person gave it, for the message; never arguments or results. */
    readonly name: string
    readonly detail?: Record<string, string | number>
    /** One message for the same key and place. */
    readonly key: string
  },
) => Promise<void>
