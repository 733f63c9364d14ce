import { contract } from '../../../contract/index.ts'
import { oauthAddresses } from '../../../contract/oauth-addresses.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Config } from '../config.ts'
import type { Database } from '../../db/database.ts'
import type { HttpServer } from '../../http/server.ts'
import { loadedAtFirst } from '../../kernel/loaded-at-first.ts'
import type { Log } from '../../kernel/log.ts'
import { openGuardedFetch } from '../../kernel/network/guarded-fetch.ts'
import type { Tasks } from '../../kernel/tasks.ts'
import type { Vault } from '../../kernel/vault.ts'

const SWEEP = 3_600_000
/** Bytes of what a client says of itself. */
const DOCUMENT = 64 * 1024
const PATIENCE = 5000

/** OAuth for MCP clients: tokens for `/mcp` that a person gives by agreeing in the browser. */
export function mountOauth(
  server: Pick<HttpServer, 'mount'>,
  of: {
    readonly config: Pick<Config, 'publicUrl'>
    readonly db: Database
    readonly vault: Vault
    readonly log: Log
    readonly accounts: Pick<Accounts, 'audit'>
    readonly tasks: Tasks
  },
): AsyncDisposable {
  const { config, db, vault, log, accounts, tasks } = of
  const guarded = openGuardedFetch({
    allowPrivate: false,
    maxBytes: DOCUMENT,
    maxRedirects: 0,
    connect_ms: PATIENCE,
    headers_ms: PATIENCE,
    idle_ms: PATIENCE,
  })
  const parts = {
    db,
    vault,
    audit: accounts.audit,
    log: log.child({ part: 'oauth' }),
    addresses: oauthAddresses(config.publicUrl),
    fetch: guarded.fetch,
  }
  server.mount(
    contract.oauth,
    loadedAtFirst(contract.oauth, async () =>
      (await import('../../accounts/oauth/oauth-routes.ts')).oauthRoutes(parts),
    ),
  )
  tasks.every('forget codes and tokens of clients', SWEEP, async () => {
    await db.write.deleteFrom('oauth_record').where('expires_at', '<', Date.now()).execute()
    await db.write
      .deleteFrom('access_token')
      .where('client_id', 'is not', null)
      .where('expires_at', '<', Date.now())
      .execute()
  })
  return guarded
}
