import type { FileAnswer } from '../../contract/route.ts'
import type { Audit } from './audit.ts'
import type { AuditFilters } from './audit-query.ts'

/** Bytes that are sent at once. */
const PIECE = 64 * 1024

/**
 * The audit log as NDJSON, oldest first: each line is an entry with its hash and the hash before it, so that a full export
 * proves itself. Read while it is sent.
 */
export function exportAudit(audit: Audit, filters: AuditFilters, signal: AbortSignal): FileAnswer {
  return { name: 'audit.ndjson', media_type: 'application/x-ndjson', size: null, stream: lines(audit, filters, signal) }
}

async function* lines(audit: Audit, filters: AuditFilters, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder()
  let text = ''
  for await (const entry of audit.walk(filters)) {
    if (signal.aborted) return
    text += `${JSON.stringify(entry)}\n`
    if (text.length < PIECE) continue
    yield encoder.encode(text)
    text = ''
  }
  if (text !== '') yield encoder.encode(text)
}
