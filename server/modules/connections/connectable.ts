import type { Caller } from '../../../contract/route.ts'
import type { Database, Trx } from '../../db/database.ts'
import type { Vault } from '../../kernel/vault.ts'

/** A remote module, as far as connecting it goes. */
export interface Connectable {
  readonly name: string
  readonly url: string
  readonly allow_private: boolean
  /** Who connects it. */
  readonly sign_in: 'shared' | 'person' | null
  /** How an administrator says that Reeve is known there; null: it makes itself known. */
  readonly client: { readonly client_id: string; readonly client_secret?: string } | null
}

/** A connection that does not count any more, though nobody here has ended it. */
export interface LostConnection {
  readonly module: string
  readonly owner: string
  /** Which one of this owner: when it was made. */
  readonly connected_at: number
}

/** Both in the transaction in which it happens, before `onChanged`. */
export interface LostConnections {
  /** Whom it concerns is told. */
  tell(trx: Trx, lost: LostConnection): Promise<void>
  /** It was connected again, or is not wanted any more. */
  end(trx: Trx, lost: readonly LostConnection[]): Promise<void>
}

export interface ConnectionsOptions {
  readonly db: Database
  readonly vault: Vault
  readonly log: { warn(fields: object, text: string): void }
  readonly audit: {
    record(
      trx: Trx,
      entry: {
        readonly actor: Caller | null
        readonly action: string
        readonly target: string
        readonly outcome: 'ok' | 'failed'
        readonly details: Record<string, unknown>
      },
    ): Promise<void>
  }
  /** Called in the transaction in which a module's connection changes. */
  readonly onChanged: (trx: Trx, module: string) => Promise<void>
  readonly lost: LostConnections
}
