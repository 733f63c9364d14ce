import type { Database, Trx } from '../db/database.ts'
import type { AuditLog } from '../chat/ports/audit-log.ts'
import type { Vault } from '../kernel/vault.ts'
import { KnownChannels } from './known-channels.ts'
import { Outbox, OUTBOX_TOPIC, type WaitingCard } from './outbox.ts'

export interface NotificationsOptions {
  readonly db: Database
  readonly vault: Vault
  /** Under which people reach the service. */
  readonly address: () => string
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
  let stopListening = (): void => {}
  let isSending: Promise<void> | null = null
  let isAsked = false
  const sendAll = async (signal: AbortSignal): Promise<void> => {
    const { deliverDue } = await import('./deliver.ts')
    while (isAsked && !signal.aborted) {
      isAsked = false
      await deliverDue(options, signal)
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
    sweep,
    onStored: (send) => void (stopListening = db.onWake(OUTBOX_TOPIC, send)),
    prune: async (signal) => (await import('./deliveries.ts')).pruneDeliveries(db, signal),
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
