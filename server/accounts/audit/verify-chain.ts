import { sql } from 'kysely'
import type { Database, Reader } from '../../db/database.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { iso } from '../../kernel/time.ts'
import { chainStart } from './audit-retention.ts'
import { CHAIN_START } from './chain.ts'

const PAGE = 500
/** Milliseconds after which an entry should be chained, by the time of the database. It usually takes less than one second. */
const LATE = 300_000

/** An entry that the log had when somebody signed its head. */
export interface ChainHead {
  readonly audit_id: number
  readonly hash: string
}

export interface ChainState {
  readonly ok: boolean
  /** How many were checked. */
  readonly entries: number
  /** The first entry that does not fit to those before it, or to a head. */
  readonly first_broken_id: number | null
  /** Entries from here on were in the log when a head was signed, and are gone. */
  readonly missing_from?: number
  /** The last entry that a head confirms: all before it are as they were. */
  readonly proven_to?: number
  /** Entries that are stored and not chained yet: nothing shows whether they were changed. */
  readonly unchained: number
  /** Since when the oldest of them waits, if that is longer than it should: chaining fails, or something prevents it. */
  readonly unchained_since?: string
}

/** The heads that were signed here. Whoever can change the log can change them, too; copies elsewhere prove more. */
export async function signedHeads(db: Reader): Promise<ChainHead[]> {
  return db.selectFrom('audit_head').select(['audit_id', 'hash']).execute()
}

/** Checks the chain from its beginning. Heads before it are of entries removed because of their age, and are ignored. */
export async function verifyChain(db: Database, heads: readonly ChainHead[]): Promise<ChainState> {
  const waiting = await unchained(db)
  const state = await checkChain(db, heads)
  return { ...state, ...waiting, ok: state.ok && waiting.unchained_since === undefined }
}

async function unchained(db: Database): Promise<Pick<ChainState, 'unchained' | 'unchained_since'>> {
  const { entries, since, now } = await db.read
    .selectFrom('audit_unchained')
    .select(({ fn }) => [
      fn.countAll<number>().as('entries'),
      fn.min('recorded_at').as('since'),
      sql<number>`${db.dialect.now}`.as('now'),
    ])
    .executeTakeFirstOrThrow()
  const late = since !== null && Number(since) < Number(now) - LATE
  return { unchained: Number(entries), ...(late && { unchained_since: iso(Number(since)) }) }
}

async function checkChain(db: Database, heads: readonly ChainHead[]): Promise<Omit<ChainState, 'unchained'>> {
  let { hash: previous, audit_id: after } = (await chainStart(db.read)) ?? { hash: CHAIN_START, audit_id: 0 }
  const expected = heads.filter(({ audit_id }) => audit_id > after).toSorted((a, b) => a.audit_id - b.audit_id)
  let next = 0
  let entries = 0
  let proven: { proven_to?: number } = {}
  for (;;) {
    const rows = await db.read
      .selectFrom('audit')
      .selectAll()
      .where('audit_id', '>', after)
      .orderBy('audit_id')
      .limit(PAGE)
      .execute()
    for (const { audit_id, hash, ...row } of rows) {
      entries++
      const broken = { ok: false, entries, first_broken_id: audit_id, ...proven }
      if (row.previous_hash !== previous || hashOf(row) !== hash) return broken
      for (; expected[next] !== undefined && expected[next]!.audit_id <= audit_id; next++) {
        if (expected[next]!.audit_id !== audit_id || expected[next]!.hash !== hash) return broken
        proven = { proven_to: audit_id }
      }
      previous = hash
      after = audit_id
    }
    if (rows.length < PAGE) break
    // The embedded database answers synchronously: without this, a long log would block all other requests.
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (next === expected.length) return { ok: true, entries, first_broken_id: null, ...proven }
  return { ok: false, entries, first_broken_id: null, missing_from: after + 1, ...proven }
}
