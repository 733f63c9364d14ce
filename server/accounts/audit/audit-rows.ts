import { type SelectQueryBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Tables } from '../../db/schema.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'

/** An entry; without id and hash until it is chained. */
export interface EntryRow {
  readonly audit_id: number | null
  /** Of an entry that is not chained yet; null for all others. */
  readonly entry_id: number | null
  readonly at: number
  readonly actor_id: string | null
  readonly actor: string
  readonly action: string
  readonly target: string
  readonly outcome: 'ok' | 'refused' | 'failed'
  readonly details: string
  readonly hash: string | null
}

export type AuditSelect<Row> = SelectQueryBuilder<Tables, 'audit', Row>
/** Narrows a query over either table of entries. */
export type Narrow = <Row>(query: AuditSelect<Row>) => AuditSelect<Row>

const CONTENT = ['at', 'actor_id', 'actor', 'action', 'target', 'outcome', 'details'] as const
const NO_ID = sql<number | null>`cast(null as bigint)`
const NO_HASH = sql<string | null>`cast(null as text)`

/**
 * The newest entries before a place in the log, newest first: those that are not chained yet, then those that are. An
 * entry that is chained while somebody goes from page to page may be seen twice, never missed.
 */
export async function entriesBefore(
  db: Database,
  narrow: Narrow,
  before: string | undefined,
  limit: number,
): Promise<EntryRow[]> {
  const place = placeOf(before)
  const chained = narrow(db.read.selectFrom('audit'))
    .select(['audit_id', NO_ID.as('entry_id'), ...CONTENT, 'hash'])
    .orderBy('audit_id', 'desc')
    .limit(limit)
  if (place.chained !== undefined) return chained.where('audit_id', '<', place.chained).execute()
  // The columns that conditions are about are the same.
  const unchained = narrow(db.read.selectFrom('audit_unchained as audit') as unknown as AuditSelect<object>)
    .select([NO_ID.as('audit_id'), sql<number>`entry_id`.as('entry_id'), ...CONTENT, NO_HASH.as('hash')])
    .$if(place.unchained !== undefined, (query) => query.where(sql<boolean>`entry_id < ${place.unchained}`))
    .orderBy(sql`entry_id`, 'desc')
    .limit(limit)
  // One statement: an entry that moves meanwhile is in one of them.
  const { rows } = await sql<EntryRow>`select * from (${unchained}) as unchained
    union all select * from (${chained}) as chained`.execute(db.read)
  return rows.toSorted(newestFirst).slice(0, limit)
}

function newestFirst(a: EntryRow, b: EntryRow): number {
  return (b.entry_id ?? 0) - (a.entry_id ?? 0) || (b.audit_id ?? 0) - (a.audit_id ?? 0)
}

/** The place after an entry, as a cursor. */
export function cursorOf({ audit_id, entry_id }: EntryRow): string {
  return audit_id === null ? `u${entry_id}` : String(audit_id)
}

function placeOf(cursor: string | undefined): { chained?: number; unchained?: number } {
  if (cursor === undefined) return {}
  const [, unchained, id] = /^(u?)(\d{1,15})$/.exec(cursor) ?? []
  if (id !== undefined) return unchained === 'u' ? { unchained: Number(id) } : { chained: Number(id) }
  throw new AppError('invalid_request', say`The cursor is not one that this list gave.`, {
    errors: [{ path: 'cursor', message: say`take it from next_cursor` }],
  })
}
