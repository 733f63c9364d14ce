import { AuditHead, HEAD_TYPE } from './documents.ts'
import { type Trust, verifyDocument } from './verify-document.ts'

const DAY = 86_400_000

/** What a file of signed heads holds. */
export interface CollectedHeads {
  /** Signed by a trusted key, in the order of the log, each once. */
  readonly heads: readonly AuditHead[]
  /** Lines that look like a head and are none that counts, with the reason. */
  readonly refused: readonly { readonly line: number; readonly problem: string }[]
}

/**
 * Reads signed heads out of a file that was written by Reeve, by a receiver of webhooks, or by a syslog service with
 * its own words before each: what is not a head is skipped.
 */
export async function collectHeads(lines: AsyncIterable<string>, trust: Trust): Promise<CollectedHeads> {
  const heads = new Map<string, AuditHead>()
  const refused: { line: number; problem: string }[] = []
  let number = 0
  for await (const line of lines) {
    number++
    if (!line.includes(HEAD_TYPE)) continue
    const begins = line.indexOf('{')
    const verified = verifyDocument(Buffer.from(begins < 0 ? line : line.slice(begins)), TYPE, trust)
    if (!('document' in verified)) refused.push({ line: number, problem: verified.problem })
    else if (verified.verdict === 'unknown_key')
      refused.push({ line: number, problem: `It is signed by an unknown key: ${verified.key_id}.` })
    else heads.set(`${verified.document.audit_id} ${verified.document.hash}`, verified.document)
  }
  return { heads: [...heads.values()].toSorted((a, b) => a.audit_id - b.audit_id), refused }
}

const TYPE = { type: HEAD_TYPE, schema: AuditHead }

/**
 * Heads of entries that the log should still have and that were removed from its beginning. An entry may go once it is
 * older than the log is kept, and a later head may confirm that it had gone.
 */
export function removedTooEarly(
  heads: readonly AuditHead[],
  {
    start,
    keepDays,
    now,
  }: {
    readonly start: { readonly audit_id: number; readonly hash: string } | null
    readonly keepDays: number | null
    readonly now: number
  },
): AuditHead[] {
  if (start === null) return []
  const attested = Math.max(0, ...heads.map(({ removed_to }) => removed_to))
  const oldest = keepDays === null ? -Infinity : now - keepDays * DAY
  return heads.filter(({ audit_id, hash, at }) => {
    if (audit_id > start.audit_id) return false
    if (audit_id === start.audit_id && hash !== start.hash) return true
    return audit_id > attested && Date.parse(at) >= oldest
  })
}
