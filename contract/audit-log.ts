import { z } from 'zod'
import { json, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Timestamp } from './values.ts'

export const AuditOutcome = z.enum(['ok', 'refused', 'failed'])
export const AuditEntry = z.strictObject({
  /** Null for some moments, until the entry is part of the chain of hashes. */
  audit_id: z.int().nullable(),
  at: Timestamp,
  actor_id: Id.nullable(),
  actor: z.string(),
  /** The name that the user has now, in lists; null when there is none any more. */
  actor_display_name: z.string().nullable().optional(),
  action: z.string(),
  target: z.string(),
  outcome: AuditOutcome,
  details: z.record(z.string(), z.unknown()),
  /** Covers the entry and the hash of the one before it; null like the id. */
  hash: z.string().nullable(),
})

const AuditFilters = z.object({
  /** Words to find in actor, action, target or details, all of them, ignoring case. */
  q: z.string().max(200).optional(),
  action: z.string().max(100).optional(),
  actor_id: Id.optional(),
  target: z.string().max(300).optional(),
  /** `<module>.<tool>`, or a module for all of its tools. */
  tool: z.string().max(200).optional(),
  /** The machine on which a tool ran: `local` is the one that Reeve runs on. */
  host: z.string().max(100).optional(),
  outcome: AuditOutcome.optional(),
  from: Timestamp.optional(),
  to: Timestamp.optional(),
})

/** The record of who did what; for whoever may read it, by default administrators. */
export const auditLog = {
  audit: route({
    method: 'GET',
    path: '/api/admin/audit',
    summary:
      'The audit log, newest first. A search for words may give fewer entries than there are: go on with the cursor',
    access: 'session',
    permissions: ['audit.read'],
    query: AuditFilters.extend({ limit: limit(100), cursor: Cursor }),
    response: json(
      z.strictObject({
        items: z.array(AuditEntry),
        next_cursor: NextCursor,
        /** How far back the search went; null at the beginning of the log. */
        searched_to: Timestamp.nullable(),
      }),
    ),
    errors: ['forbidden', 'approval_required'],
  }),
  auditAbout: route({
    method: 'GET',
    path: '/api/admin/audit/about',
    summary: 'How long the audit log is kept, and the people it can be searched for',
    access: 'session',
    permissions: ['audit.read'],
    response: json(
      z.strictObject({
        /** Days for which entries are kept; null: for ever. */
        keep_days: z.int().nullable(),
        /** The oldest entry. */
        since: Timestamp.nullable(),
        /** At most 500, by name. */
        people: z.array(z.strictObject({ user_id: Id, username: z.string(), display_name: z.string() })),
      }),
    ),
    errors: ['forbidden', 'approval_required'],
  }),
  verifyAudit: route({
    method: 'GET',
    path: '/api/admin/audit/verify',
    summary: 'Check the hash chain of the audit log from its beginning',
    access: 'session',
    permissions: ['audit.read'],
    response: json(
      z.strictObject({
        ok: z.boolean(),
        entries: z.int(),
        first_broken_id: z.int().nullable(),
        /** Entries from here on were signed and are gone: the end of the log was cut off. */
        missing_from: z.int().optional(),
        /** The last entry that a signed head confirms. */
        proven_to: z.int().optional(),
        /** Entries that are not part of the chain yet. */
        unchained: z.int(),
        /** Since when the oldest of them waits, if that is more than five minutes; `ok` is false then. */
        unchained_since: Timestamp.optional(),
      }),
    ),
    errors: ['forbidden', 'approval_required'],
  }),
  exportAudit: route({
    method: 'GET',
    path: '/api/admin/audit/export',
    summary: 'The audit log as NDJSON, oldest first, with the hashes that prove it',
    access: 'session',
    permissions: ['audit.read'],
    query: AuditFilters,
    response: { kind: 'file', disposition: 'attachment' },
    errors: ['forbidden', 'approval_required'],
  }),
}
