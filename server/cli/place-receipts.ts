import manifest from '../../package.json' with { type: 'json' }
import { openAudit } from '../accounts/audit/audit.ts'
import { chainStart } from '../accounts/audit/audit-retention.ts'
import { openReceipts, type Receipts } from '../receipts/receipts.ts'
import type { Place } from './open-place.ts'
import { placeUrl } from './place-url.ts'
import { placeVault } from './place-vault.ts'
import type { Terminal } from './terminal.ts'

/** What signs for this installation. @throws {WrongKey, CommandProblem} */
export async function placeReceipts(place: Place, { note }: Terminal): Promise<Receipts> {
  const { config, db } = place
  return openReceipts({
    db,
    vault: await placeVault(place),
    audit: openAudit(db, Date.now),
    places: config.auditHeads,
    removedTo: async () => (await chainStart(db.read))?.audit_id ?? 0,
    address: () => placeUrl(config),
    reeve: manifest.version,
    onFailed: (to, problem) => note(`${to}: ${problem}`),
  })
}
