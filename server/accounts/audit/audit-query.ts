import type { z } from 'zod'
import type { AuditEntry, AuditOutcome } from '../../../contract/audit-log.ts'
import type { Database } from '../../db/database.ts'
import { fold, storable } from '../../kernel/text/plain-text.ts'
import { iso } from '../../kernel/time.ts'
import { type AuditSelect, cursorOf, entriesBefore, type EntryRow } from './audit-rows.ts'

/** Filters for audit log entries; all given ones must match. */
export interface AuditFilters {
  /** Words in actor, action, target or details; all must occur, ignoring case. */
  readonly q?: string | undefined
  readonly action?: string | undefined
  readonly actor_id?: string | undefined
  readonly target?: string | undefined
  /** `<module>.<tool>`, or a module for all of its tools. */
  readonly tool?: string | undefined
  readonly host?: string | undefined
  readonly outcome?: z.infer<typeof AuditOutcome> | undefined
  /** ISO 8601; both included. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}
export interface AuditQuery extends AuditFilters {
  readonly limit: number
  readonly cursor?: string | undefined
}
export interface AuditPage {
  readonly items: z.input<typeof AuditEntry>[]
  readonly next_cursor: string | null
  /** Time of the oldest entry examined; null at the beginning of the log. */
  readonly searched_to: string | null
}

/** What is recorded about tools names them in its details. */
const TOOL_ACTIONS = [
  'tool.called',
  'tool.counted',
  'tool.settled',
  'approval.approved',
  'approval.denied',
  'approval.expired',
  'grant.revoked',
  'question.approved',
  'question.denied',
  'question.expired',
]
/** Entries examined by one word search; examining is what costs, and the cursor continues where it stopped. */
const SCAN = 5000
const SCAN_PAGE = 500

/** One page of the log, newest first, including what is not chained yet. @throws {AppError} invalid_request for an invalid cursor */
export async function queryAudit(db: Database, query: AuditQuery): Promise<AuditPage> {
  const fits = finerFilter(query)
  const limit = query.limit + 1
  const most = fits === null ? limit : SCAN_PAGE
  const found: EntryRow[] = []
  let before = query.cursor
  let last: EntryRow | undefined
  for (let looked = 0; found.length < limit && looked < SCAN;) {
    const rows = await entriesBefore(db, (entries) => filtered(entries, query), before, most)
    found.push(...(fits === null ? rows : rows.filter(fits)))
    last = rows.at(-1) ?? last
    before = last && cursorOf(last)
    looked += rows.length
    if (rows.length < most) {
      last = undefined
      break
    }
  }
  const shown = found.slice(0, query.limit)
  const stop = found.length > query.limit ? shown.at(-1) : last
  return {
    items: await withNames(db, shown.map(toEntry)),
    next_cursor: stop === undefined ? null : cursorOf(stop),
    searched_to: stop === undefined ? null : iso(stop.at),
  }
}

/** Applies the conditions the database can evaluate. */
export function filtered<Row>(query: AuditSelect<Row>, filters: AuditFilters): AuditSelect<Row> {
  const { action, actor_id, target, tool, host, outcome, from, to } = filters
  let narrowed = query
  if (action !== undefined) narrowed = narrowed.where('action', '=', storable(action))
  if (actor_id !== undefined) narrowed = narrowed.where('actor_id', '=', storable(actor_id))
  if (target !== undefined) narrowed = narrowed.where('target', '=', storable(target))
  if (tool !== undefined || host !== undefined) narrowed = narrowed.where('action', 'in', TOOL_ACTIONS)
  if (outcome !== undefined) narrowed = narrowed.where('outcome', '=', outcome)
  if (from !== undefined) narrowed = narrowed.where('at', '>=', Date.parse(from))
  if (to !== undefined) narrowed = narrowed.where('at', '<=', Date.parse(to))
  return narrowed
}

type Wording = Pick<EntryRow, 'actor' | 'action' | 'target' | 'details'>

/** What only this code can evaluate: words, because no database folds text the same way, and what is in the details. */
export function finerFilter({ q, tool, host }: AuditFilters): ((row: Wording) => boolean) | null {
  const words = fold(q ?? '')
    .split(/\s+/)
    .filter(Boolean)
  if (words.length === 0 && tool === undefined && host === undefined) return null
  return ({ actor, action, target, details }) => {
    if (words.length > 0) {
      const text = fold(`${actor} ${action} ${target} ${details}`)
      if (!words.every((word) => text.includes(word))) return false
    }
    if (tool === undefined && host === undefined) return true
    const of = JSON.parse(details) as { readonly tool?: unknown; readonly host?: unknown }
    if (typeof of.tool !== 'string') return false
    // Entries of versions that knew one machine only don't name it.
    if (host !== undefined && (of.host ?? 'local') !== host) return false
    return tool === undefined || of.tool === tool || of.tool.startsWith(`${tool}.`)
  }
}

/** An entry as sent to clients. */
export function toEntry<Row extends { at: number; details: string }>(
  entry: Row & { readonly entry_id?: number | null },
) {
  const { entry_id: _id, ...row } = entry
  return { ...row, at: iso(row.at), details: JSON.parse(row.details) as Record<string, unknown> }
}

/** With the names that the users have now; null for those who are gone. */
async function withNames<Entry extends { actor_id: string | null }>(db: Database, entries: readonly Entry[]) {
  const ids = [...new Set(entries.flatMap(({ actor_id }) => actor_id ?? []))]
  const users =
    ids.length === 0
      ? []
      : await db.read.selectFrom('user').select(['user_id', 'display_name']).where('user_id', 'in', ids).execute()
  const names = new Map(users.map(({ user_id, display_name }) => [user_id, display_name]))
  return entries.map((entry) => ({ ...entry, actor_display_name: names.get(entry.actor_id ?? '') ?? null }))
}
