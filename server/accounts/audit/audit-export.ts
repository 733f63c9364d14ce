import type { FileAnswer } from '../../../contract/route.ts'
import type { Audit } from './audit.ts'
import type { AuditFilters } from './audit-query.ts'

/** Bytes sent at a time. */
const PIECE = 64 * 1024

/**
 * The audit log as NDJSON, oldest first: each line is an entry with its hash and the previous hash, so that a full
 * export can be verified by itself. Read while it is being sent.
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
