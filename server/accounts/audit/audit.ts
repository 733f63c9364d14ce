import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { AuditEntry } from '../../../contract/audit-log.ts'
import type { Caller } from '../../../contract/route.ts'
import type { Database, Trx } from '../../db/database.ts'
import { canonicalJson, hashOf } from '../../kernel/text/canonical.ts'
import { cut, storable } from '../../kernel/text/plain-text.ts'
import {
  type AuditFilters,
  type AuditPage,
  type AuditQuery,
  ENTRY_COLUMNS,
  filtered,
  finerFilter,
  queryAudit,
  toEntry,
} from './audit-query.ts'
import { type AuditCount, countOnce, entriesOfCounts } from './audit-counts.ts'
import { removeOldEntries } from './audit-retention.ts'
import { type ChainHead, type ChainState, signedHeads, verifyChain } from './verify-chain.ts'

const WALK_PAGE = 500
const LABEL_LIMIT = 300
const DAY = 24 * 3_600_000
/** `previous_hash` of the first entry. */
const CHAIN_START = createHash('sha256').update('reeve audit log').digest('hex')

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
   * Appends an entry in the caller's transaction, so that whatever is recorded has happened, and vice versa. Entries
   * are written one after the other, so this should be the transaction's last operation.
   */
  record(trx: Trx, entry: AuditRecord): Promise<void>
  /** Counts something that happens too often for an entry each: `sweep` makes one of each hour that is over. */
  count(trx: Trx, what: AuditCount): Promise<void>
  /** Turns the counts of hours that are over into entries, and removes entries that are older than is kept. */
  sweep(signal?: AbortSignal): Promise<void>
  /** How long entries are kept (days; null: for ever), and the time of the oldest one. */
  kept(): Promise<{ days: number | null; since: number | null }>
  /** Newest first. @throws {AppError} invalid_request for an invalid cursor */
  list(query: AuditQuery): Promise<AuditPage>
  /** All matching entries, oldest first, read page by page, each with the hash of the entry before it. */
  walk(filters: AuditFilters): AsyncIterable<z.input<typeof AuditEntry> & { previous_hash: string }>
  /** What was done to `target` (an id or a name), newest first, at most `limit` entries. */
  about(target: string, limit: number): Promise<z.input<typeof AuditEntry>[]>
  /**
   * Checks the whole chain, and that it still has the entries of signed heads: those given, else those signed here.
   */
  verify(heads?: readonly ChainHead[]): Promise<ChainState>
}

/** Both roles of somebody who has taken one for a while. */
function rolesOf({ actor }: AuditRecord) {
  if (actor?.elevated === undefined) return {}
  const { elevation_id, role, own_role } = actor.elevated
  return { elevated: { elevation_id, role, own_role } }
}

/** The append-only record of who did what: each entry's hash covers the entry and the previous hash. */
export function openAudit(db: Database, clock: () => number, keepDays: number | null = null): Audit {
  const audit: Audit = {
    async record(trx, entry) {
      await db.dialect.serialize(trx, 'audit')
      const last = await trx.selectFrom('audit').select('hash').orderBy('audit_id', 'desc').limit(1).executeTakeFirst()
      const row = {
        at: clock(),
        actor_id: entry.actor?.user_id ?? null,
        actor: cut(storable(entry.actor?.username ?? ''), LABEL_LIMIT),
        action: entry.action,
        target: cut(storable(entry.target), LABEL_LIMIT),
        outcome: entry.outcome,
        details: canonicalJson({ ...entry.details, ...rolesOf(entry) }),
        previous_hash: last?.hash ?? CHAIN_START,
      }
      await trx
        .insertInto('audit')
        .values({ ...row, hash: hashOf(row) })
        .execute()
    },

    count: (trx, what) => countOnce(trx, what, clock()),

    async sweep(signal) {
      await entriesOfCounts(db, audit, clock(), signal)
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
      const rows = await db.read
        .selectFrom('audit')
        .select(ENTRY_COLUMNS)
        .where('target', '=', cut(storable(target), LABEL_LIMIT))
        .orderBy('audit_id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toEntry)
    },

    verify: async (heads) => verifyChain(db, CHAIN_START, heads ?? (await signedHeads(db.read))),
  }
  return audit
}
