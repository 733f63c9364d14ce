import type { z } from 'zod'
import type { AuditEntry } from '../../../contract/audit-log.ts'
import type { Caller } from '../../../contract/route.ts'
import type { Database, Trx } from '../../db/database.ts'
import { insertRows } from '../../db/statement.ts'
import { canonicalJson } from '../../kernel/text/canonical.ts'
import { cut, storable } from '../../kernel/text/plain-text.ts'
import {
  type AuditFilters,
  type AuditPage,
  type AuditQuery,
  filtered,
  finerFilter,
  queryAudit,
  toEntry,
} from './audit-query.ts'
import { type AuditCount, countOnce, entriesOfCounts } from './audit-counts.ts'
import { removeOldEntries } from './audit-retention.ts'
import { entriesBefore } from './audit-rows.ts'
import { type Chained, chainEntries, settleChain } from './chain.ts'
import { type ChainHead, type ChainState, signedHeads, verifyChain } from './verify-chain.ts'

const WALK_PAGE = 500
const LABEL_LIMIT = 300
const DAY = 24 * 3_600_000
/** Woken once a new entry is committed. */
export const ENTRY_RECORDED = 'audit.recorded'

export interface AuditRecord {
  /** Who did it; null if no one is signed in (setup, a failed sign-in). While elevated, the entry names both roles. */
  readonly actor: Pick<Caller, 'user_id' | 'username' | 'elevated'> | null
  /** Noun and verb: `login.failed`, `role.updated`. */
  readonly action: string
  /** The object of the action: an id or a name. */
  readonly target: string
  readonly outcome: 'ok' | 'refused' | 'failed'
  /** Never a secret. */
  readonly details?: Record<string, unknown>
}

export interface Audit {
  /**
   * Stores an entry in the caller's transaction, so that whatever is recorded has happened, and vice versa. It takes no
   * lock: the entry gets into the chain afterwards (`chain`), and until then has neither id nor hash.
   */
  record(trx: Trx, entry: AuditRecord): Promise<void>
  /** Moves the entries that are committed into the chain; for whoever has a moment, in any process. Waits for nobody. */
  chain(): Promise<Chained>
  /**
   * Like `chain`, for who needs ids and hashes: waits for a process that is at it. @returns whether everything that was
   * committed before is chained; false after some seconds
   */
  settle(): Promise<boolean>
  /** Counts something that happens too often for an entry each: `sweep` makes one of each hour that is over. */
  count(trx: Trx, what: AuditCount): Promise<void>
  /** Turns the counts of hours that are over into entries, and removes entries that are older than is kept. */
  sweep(signal?: AbortSignal): Promise<void>
  /** How long entries are kept (days; null: for ever), and the time of the oldest one. */
  kept(): Promise<{ days: number | null; since: number | null }>
  /** Newest first. @throws {AppError} invalid_request for an invalid cursor */
  list(query: AuditQuery): Promise<AuditPage>
  /** All matching entries of the chain, oldest first, read page by page, each with the hash of the entry before it. */
  walk(filters: AuditFilters): AsyncIterable<z.input<typeof AuditEntry> & { previous_hash: string }>
  /** What was done to `target` (an id or a name), newest first, at most `limit` entries. */
  about(target: string, limit: number): Promise<z.input<typeof AuditEntry>[]>
  /**
   * Checks the whole chain, and that it still has the entries of signed heads: those given, else those signed here.
   * Tells how many entries are not chained, and finds fault with one that should be.
   */
  verify(heads?: readonly ChainHead[]): Promise<ChainState>
}

/** Both roles of somebody who has taken one for a while. */
function rolesOf({ actor }: AuditRecord) {
  if (actor?.elevated === undefined) return {}
  const { elevation_id, role, own_role } = actor.elevated
  return { elevated: { elevation_id, role, own_role } }
}

/**
 * The append-only record of who did what: each entry's hash covers the entry and the previous hash. Entries are stored
 * unchained in the transaction of what they tell, and chained afterwards, so that nobody waits for anybody.
 */
export function openAudit(db: Database, clock: () => number, keepDays: number | null = null): Audit {
  const audit: Audit = {
    async record(trx, entry) {
      const row = {
        at: clock(),
        actor_id: entry.actor?.user_id ?? null,
        actor: cut(storable(entry.actor?.username ?? ''), LABEL_LIMIT),
        action: entry.action,
        target: cut(storable(entry.target), LABEL_LIMIT),
        outcome: entry.outcome,
        details: canonicalJson({ ...entry.details, ...rolesOf(entry) }),
      }
      await insertRows(trx, 'audit_unchained', [row])
      db.wake(trx, ENTRY_RECORDED)
    },

    chain: () => chainEntries(db),
    settle: () => settleChain(db),

    count: (trx, what) => countOnce(trx, what, clock()),

    async sweep(signal) {
      await entriesOfCounts(db, audit, clock(), signal)
      // Only what is chained is removed.
      await chainEntries(db)
      if (keepDays !== null) {
        const now = clock()
        await removeOldEntries(db, { oldest: now - keepDays * DAY, now }, signal)
      }
    },

    async kept() {
      const first = await db.read.selectFrom('audit').select('at').orderBy('audit_id').limit(1).executeTakeFirst()
      return { days: keepDays, since: first?.at ?? null }
    },

    list: (query) => queryAudit(db, query),

    async *walk(filters) {
      const fits = finerFilter(filters)
      await settleChain(db)
      for (let after = 0; ;) {
        const rows = await filtered(db.read.selectFrom('audit').selectAll(), filters)
          .where('audit_id', '>', after)
          .orderBy('audit_id')
          .limit(WALK_PAGE)
          .execute()
        for (const row of rows) if (fits === null || fits(row)) yield toEntry(row)
        if (rows.length < WALK_PAGE) return
        after = rows.at(-1)!.audit_id
      }
    },

    async about(target, limit) {
      const named = cut(storable(target), LABEL_LIMIT)
      const rows = await entriesBefore(db, (entries) => entries.where('target', '=', named), undefined, limit)
      return rows.map((row) => toEntry(row))
    },

    async verify(heads) {
      // Where that fails, entries wait, and the answer says so.
      await chainEntries(db).catch(() => {})
      return verifyChain(db, heads ?? (await signedHeads(db.read)))
    },
  }
  return audit
}
