import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { chainStart } from '../../server/accounts/audit/audit-retention.ts'
import { openAudit } from '../../server/accounts/audit/audit.ts'
import { openVault } from '../../server/kernel/vault.ts'
import { collectHeads } from '../../server/receipts/check-heads.ts'
import { readHeadPlaces } from '../../server/receipts/places.ts'
import { openReceipts } from '../../server/receipts/receipts.ts'
import { publicKey } from '../../server/receipts/signing-key.ts'
import { openTestAccounts } from './open-accounts.ts'
import type { TestDatabase } from './servers/postgres.ts'

export const DAY = 86_400_000
export const NOWHERE = { file: '', url: '', token: '', syslog: '' }
const going = new AbortController().signal

/** A log with a clock that stands, and what signs its head. */
export async function openLog(
  database: TestDatabase,
  settings: Partial<typeof NOWHERE> = {},
  keepDays: number | null = null,
) {
  const { db, time } = await openTestAccounts(database)
  const clock = () => time.now
  const log = openAudit(db, clock, keepDays)
  const failures: string[] = []
  const receipts = openReceipts({
    db,
    vault: openVault(Buffer.alloc(32, 7)),
    audit: log,
    places: readHeadPlaces({ ...NOWHERE, ...settings }),
    removedTo: async () => (await chainStart(db.read))?.audit_id ?? 0,
    address: () => 'https://mill.example',
    reeve: '0.1.0',
    onFailed: (place, problem) => void failures.push(`${place}: ${problem}`),
    clock,
  })
  const record = (count: number) =>
    db.transaction(async (trx) => {
      for (let i = 0; i < count; i++)
        await log.record(trx, { actor: null, action: 'test.done', target: `${i}`, outcome: 'ok' })
    })
  const envelopes = async () =>
    (await db.read.selectFrom('audit_head').select('envelope').orderBy('day').execute()).map(({ envelope }) => envelope)
  const trust = async () => {
    return { keys: (await receipts.keys.published()).map(({ public_key }) => publicKey(public_key)), fingerprints: [] }
  }
  const collect = async (lines: readonly string[]) =>
    collectHeads(
      (async function* () {
        yield* lines
      })(),
      await trust(),
    )
  return { db, time, log, receipts, record, failures, envelopes, collect, sweep: () => receipts.sweep(going) }
}

export async function folderFor(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-heads-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}
