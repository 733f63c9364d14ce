import type { NoticeTopic } from '../../contract/notification-values.ts'
import type { Database, Trx } from '../db/database.ts'
import type { AuditLog } from '../chat/ports/audit-log.ts'
import type { Vault } from '../kernel/vault.ts'
import { KnownChannels } from './known-channels.ts'
import { endNotice, tellNotice, type TellPages } from './notices.ts'
import { Outbox, OUTBOX_TOPIC, type WaitingCard } from './outbox.ts'
import type { EndNotice, StillHolds, TellNotice } from '../chat/ports/notices.ts'

export interface NotificationsOptions {
  readonly db: Database
  readonly vault: Vault
  /** Under which people reach the service. */
  readonly address: () => string
  /** Tells open pages of people that their list of notices has changed. */
  readonly tellPages: TellPages
  /** A message did not arrive; without any secret. */
  readonly onFailed: (channel: string, problem: string) => void
}

/**
 * Telling people who look at no page that something waits for them: an outbox that is written in the transaction of what
 * it tells of, and sent from by whichever process comes first.
 */
export interface Notifications extends Disposable {
  readonly known: KnownChannels
  /** Stores who will be told, in the transaction that puts up a card. */
  readonly cardWaits: (trx: Trx, card: WaitingCard) => Promise<void>
  readonly tell: TellNotice
  readonly end: EndNotice
  /** Before a message about such a notice is sent, `check` is asked whether it is still so; if not, it is dropped. */
  readonly whileHolds: (event: NoticeTopic, check: StillHolds) => void
  /** Sends what is due; without channels it asks the database nothing. */
  readonly sweep: (signal: AbortSignal) => Promise<void>
  /** Calls `send` whenever something new is stored. */
  readonly onStored: (send: () => void) => void
  readonly prune: (signal: AbortSignal) => Promise<void>
}

export async function openNotifications(options: NotificationsOptions): Promise<Notifications> {
  const { db } = options
  const known = await KnownChannels.open(db)
  const outbox = new Outbox(db, known)
  const holds = new Map<NoticeTopic, StillHolds>()
  let stopListening = (): void => {}
  let isSending: Promise<void> | null = null
  let isAsked = false
  const sendAll = async (signal: AbortSignal): Promise<void> => {
    const { deliverDue } = await import('./deliver.ts')
    while (isAsked && !signal.aborted) {
      isAsked = false
      await deliverDue({ ...options, holds }, signal)
    }
  }
  /** One at a time: what is stored meanwhile is looked at once more. */
  const sweep = async (signal: AbortSignal): Promise<void> => {
    if (!known.any) return
    isAsked = true
    isSending ??= sendAll(signal).finally(() => (isSending = null))
    await isSending
  }
  return {
    known,
    cardWaits: (trx, card) => outbox.cardWaits(trx, card),
    tell: (trx, notice) => tellNotice({ ...options, known }, trx, notice),
    end: endNotice(options),
    whileHolds: (event, check) => void holds.set(event, check),
    sweep,
    onStored: (send) => void (stopListening = db.onWake(OUTBOX_TOPIC, send)),
    prune: async (signal) => {
      const { pruneNotifications } = await import('./prune.ts')
      await pruneNotifications(db, signal)
    },
    [Symbol.dispose]() {
      stopListening()
      known[Symbol.dispose]()
    },
  }
}

/** What changing channels and rules needs besides. */
export interface NotificationsAdministration extends NotificationsOptions {
  readonly audit: AuditLog
  readonly known: KnownChannels
}
