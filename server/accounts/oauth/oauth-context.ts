import type { OauthAddresses } from '../../../contract/oauth-addresses.ts'
import type { Database } from '../../db/database.ts'
import type { GuardedFetch } from '../../kernel/network/guarded-fetch.ts'
import type { Log } from '../../kernel/log.ts'
import type { Vault } from '../../kernel/vault.ts'
import type { Audit } from '../audit/audit.ts'

/** What OAuth for MCP clients works with. */
export interface OauthContext {
  readonly db: Database
  readonly vault: Vault
  readonly audit: Audit
  readonly log: Log
  readonly addresses: OauthAddresses
  /** Reads what clients say of themselves. */
  readonly fetch: GuardedFetch['fetch']
}
