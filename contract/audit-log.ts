import { z } from 'zod'
import { json, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Timestamp } from './values.ts'

export const AuditOutcome = z.enum(['ok', 'refused', 'failed'])
export const AuditEntry = z.strictObject({
  audit_id: z.int(),
  at: Timestamp,
  actor_id: Id.nullable(),
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  outcome: AuditOutcome,
  details: z.record(z.string(), z.unknown()),
  hash: z.string(),
})

const AuditFilters = z.object({
  /** Words to find in actor, action, target or details, all of them, ignoring case. */
  q: z.string().max(200).optional(),
  action: z.string().max(100).optional(),
  actor_id: Id.optional(),
  target: z.string().max(300).optional(),
  outcome: AuditOutcome.optional(),
  from: Timestamp.optional(),
  to: Timestamp.optional(),
})

/** The record of who did what; for administrators. */
export const auditLog = {
  audit: route({
    method: 'GET',
    path: '/api/admin/audit',
    summary:
      'The audit log, newest first. A search for words may give fewer entries than there are: go on with the cursor',
    access: 'admin',
    query: AuditFilters.extend({ limit: limit(100), cursor: Cursor }),
    response: json(
      z.strictObject({
        items: z.array(AuditEntry),
        next_cursor: NextCursor,
        /** How far back the search went; null at the beginning of the log. */
        searched_to: Timestamp.nullable(),
      }),
    ),
    errors: [],
  }),
  verifyAudit: route({
    method: 'GET',
    path: '/api/admin/audit/verify',
    summary: 'Check the hash chain of the audit log from its beginning',
    access: 'admin',
    response: json(z.strictObject({ ok: z.boolean(), entries: z.int(), first_broken_id: z.int().nullable() })),
    errors: [],
  }),
  exportAudit: route({
    method: 'GET',
    path: '/api/admin/audit/export',
    summary: 'The audit log as NDJSON, oldest first, with the hashes that prove it',
    access: 'admin',
    query: AuditFilters,
    response: { kind: 'file', disposition: 'attachment' },
    errors: [],
  }),
}
