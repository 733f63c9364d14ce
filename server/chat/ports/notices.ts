import type { NoticeTopic } from '../../../contract/notification-values.ts'
import type { Trx } from '../../db/database.ts'

/** Somebody is told of something that waits for no answer, in the transaction in which it happens. */
export interface NoticeToTell {
  readonly event: NoticeTopic
  /** Whom: persons, everybody of a role but whoever did it, or a shared channel. */
  readonly to:
    | { readonly user_ids: readonly string[] }
    | { readonly role_id: string; readonly except?: string }
    | { readonly channel_id: string }
  /** What it is about, and the address of the page that shows it: a path without a token. */
  readonly ref_id: string
  readonly path: string
  /** As its owner calls it. No arguments, results, file names, titles of conversations. */
  readonly name: string
  /** Small facts, which only channels inside and the person's own list show. */
  readonly detail?: Readonly<Record<string, string | number>>
  /** Whose it is or who asks; the notice goes when this person is erased. */
  readonly by?: string
  /** One message for the same key and place. */
  readonly key: string
}

/**
 * The port through which people are told of something; `notifications` implements it, `app` fills it.
 *
 * Stores a notice as the last thing of a transaction: it locks the events of those who are told. Transactions that may tell
 * the same key at once hold a lock of their own before they store events, or tell first.
 */
export type TellNotice = (trx: Trx, notice: NoticeToTell) => Promise<void>

/** What was told under this key is over: whoever has not read it finds it in their list no more. Last, as above. */
export type EndNotice = (trx: Trx, notice: Pick<NoticeToTell, 'event' | 'key'>) => Promise<void>

/** Whether what a notice told is still so, asked just before a message about it is sent. */
export type StillHolds = (notice: Pick<NoticeToTell, 'ref_id' | 'key'>) => Promise<boolean>
