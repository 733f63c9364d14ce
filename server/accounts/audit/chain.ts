import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database, Trx } from '../../db/database.ts'
import { hashOf } from '../../kernel/text/canonical.ts'

/** `previous_hash` of the first entry. */
export const CHAIN_START = createHash('sha256').update('reeve audit log').digest('hex')
/**
 * The key of the lock under which entries get into the chain (`dialect.serialize`). Never taken in a transaction that
 * anybody waits for. The version before this one chains in the transaction of each entry, under the same lock.
 */
export const CHAIN_LOCK = 'audit'
/** Entries that one transaction chains: some milliseconds' worth. */
const AT_ONCE = 200
/** Milliseconds for which `settle` waits for whoever holds the lock: a frozen process loses it after five seconds. */
const PATIENCE = 6000
const POLL = 50

/** What became of an attempt to chain: nothing is left; or another process has the lock, and will do it. */
export type Chained = 'all' | 'busy'

/**
 * Moves the entries that are committed into the chain, in the order of their ids; one whose transaction commits later
 * than that of a higher id comes later. Waits for nobody.
 */
export async function chainEntries(db: Database): Promise<Chained> {
  while (await anyUnchained(db)) {
    const moved = await db.transaction((trx) => chainSome(db, trx))
    if (moved === null) return 'busy'
    if (moved < AT_ONCE) break
  }
  return 'all'
}

/** How many were moved; null while another transaction has the lock. */
async function chainSome(db: Database, trx: Trx): Promise<number | null> {
  if (!(await db.dialect.trySerialize(trx, CHAIN_LOCK))) return null
  const entries = await trx.selectFrom('audit_unchained').selectAll().orderBy('entry_id').limit(AT_ONCE).execute()
  if (entries.length === 0) return 0
  const last = await trx.selectFrom('audit').select('hash').orderBy('audit_id', 'desc').limit(1).executeTakeFirst()
  let previous_hash = last?.hash ?? CHAIN_START
  const rows = entries.map(({ entry_id: _id, recorded_at: _recorded, ...content }) => {
    const row = { ...content, previous_hash }
    previous_hash = hashOf(row)
    return { ...row, hash: previous_hash }
  })
  await trx.insertInto('audit').values(rows).execute()
  const ids = entries.map(({ entry_id }) => entry_id)
  await trx.deleteFrom('audit_unchained').where('entry_id', 'in', ids).execute()
  return entries.length
}

/**
 * Chains everything that was committed before the call, waiting for a process that is at it. @returns whether that is
 * done; false after some seconds
 */
export async function settleChain(db: Database): Promise<boolean> {
  for (const until = performance.now() + PATIENCE; ;) {
    if ((await chainEntries(db)) === 'all') return true
    if (performance.now() >= until) return false
    await pause(POLL)
  }
}

async function anyUnchained(db: Database): Promise<boolean> {
  return (await db.read.selectFrom('audit_unchained').select('entry_id').limit(1).executeTakeFirst()) !== undefined
}
