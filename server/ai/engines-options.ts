import type { GivenRequest } from '../../contract/engines.ts'
import type { Caller } from '../../contract/route.ts'
import type { Database, Trx } from '../db/database.ts'
import type { Vault } from '../kernel/vault.ts'
import type { AiConfig, AiProvider } from './engine-setting.ts'

export interface EnginesOptions {
  readonly db: Database
  readonly vault: Vault
  /** The engine set by the environment, which is the default. */
  readonly environment: AiConfig
  /** Whether an engine names conversations, unless that is set in the pages. */
  readonly titles: boolean
  readonly audit: {
    record(
      trx: Trx,
      entry: { actor: Caller; action: string; target: string; outcome: 'ok'; details: Record<string, unknown> },
    ): Promise<void>
  }
  readonly onError: (error: unknown) => void
}

/** An engine's address and credentials; `api_key` undefined: the one stored for it. */
export interface EngineConnection {
  readonly provider: AiProvider
  readonly base_url: string | null
  readonly api_key?: string | null | undefined
  /** Undefined: the one stored for it. */
  readonly request?: GivenRequest | undefined
}
