import manifest from '../../../package.json' with { type: 'json' }
import { contract } from '../../../contract/index.ts'
import { chainStart } from '../../accounts/audit/audit-retention.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Config } from '../config.ts'
import type { Database } from '../../db/database.ts'
import type { HttpServer } from '../../http/server.ts'
import { loadedAtFirst } from '../../kernel/loaded-at-first.ts'
import type { Log } from '../../kernel/log.ts'
import type { Vault } from '../../kernel/vault.ts'
import type { Receipts } from '../../receipts/receipts.ts'

/** Mounts receipts and their keys. `sweep` signs the head of the audit log once a day, and sends it. */
export function mountReceipts(
  server: Pick<HttpServer, 'mount'>,
  of: {
    readonly db: Database
    readonly vault: Vault
    readonly accounts: Pick<Accounts, 'audit'>
    readonly config: Pick<Config, 'auditHeads'>
    readonly log: Log
    /** Under which people reach the service. */
    readonly address: () => string
  },
): Pick<Receipts, 'sweep'> {
  const { db, vault, accounts, config, log, address } = of
  const { audit } = accounts
  let opened: Promise<Receipts> | null = null
  const open = (): Promise<Receipts> =>
    (opened ??= import('../../receipts/receipts.ts').then(({ openReceipts }) =>
      openReceipts({
        db,
        vault,
        audit,
        places: config.auditHeads,
        removedTo: async () => (await chainStart(db.read))?.audit_id ?? 0,
        address,
        reeve: manifest.version,
        onFailed: (place, problem) => log.warn({ place, problem }, 'the signed head of the audit log was not sent'),
      }),
    ))
  server.mount(
    contract.receipts,
    loadedAtFirst(contract.receipts, async () => {
      const { receiptRoutes } = await import('../../receipts/routes.ts')
      return receiptRoutes(await open(), audit)
    }),
  )
  return { sweep: async (signal) => (await open()).sweep(signal) }
}
