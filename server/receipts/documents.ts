import { z } from 'zod'

export const RECEIPT_TYPE = 'application/vnd.reeve.receipt+json'
export const HEAD_TYPE = 'application/vnd.reeve.audit-head+json'

const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const Time = z.iso.datetime()
/** As it is: a record would be copied, without a key such as `__proto__`. */
const JsonObject = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)
const Person = z.strictObject({
  user_id: z.string().nullable(),
  username: z.string(),
  display_name: z.string().nullable(),
})

/** Who signed: by name and address as the installation knows itself, and the public key that verifies it. */
export const Signature = z.strictObject({
  installation: z.strictObject({ name: z.string(), address: z.string(), reeve: z.string() }),
  key: z.strictObject({ key_id: Hash, public_key: z.string() }),
  signed_at: Time,
})

/** An entry of the audit log as it was hashed, so that its hash can be computed again. */
export const ReceiptEntry = z.strictObject({
  audit_id: z.int(),
  /** Epoch milliseconds. */
  at: z.int(),
  actor_id: z.string().nullable(),
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  outcome: z.enum(['ok', 'refused', 'failed']),
  /** JSON. */
  details: z.string(),
  previous_hash: Hash,
  hash: Hash,
})
export type ReceiptEntry = z.infer<typeof ReceiptEntry>

/** An approval with its call, version 1. */
export const Receipt = z.strictObject({
  schema: z.literal('reeve.receipt/1'),
  signed_by: Signature,
  approval: z.strictObject({
    approval_id: z.string(),
    kind: z.enum(['call', 'run', 'question']),
    asked_by: Person,
    conversation_id: z.string(),
    run_id: z.string(),
    requested_at: Time,
    expires_at: Time,
    summary: z.string(),
    /** Why it asked: the rule that decided, as the card said it; and a hash over all rules that decided. */
    reason: z.string(),
    rules_hash: z.string(),
    status: z.enum(['approved', 'denied', 'expired', 'cancelled', 'superseded']),
    decision: z.enum(['approve', 'approve_for_conversation', 'deny']).nullable(),
    decided_by: Person.nullable(),
    decided_at: Time.nullable(),
    decision_reason: z.string().nullable(),
    /** Where others decided: how many of which role had to agree, and what each of them said, oldest first. */
    needs: z.array(z.strictObject({ role_id: z.string(), role: z.string(), count: z.int() })).optional(),
    votes: z
      .array(
        z.strictObject({
          by: Person,
          decision: z.enum(['approve', 'deny']),
          reason: z.string().nullable(),
          at: Time,
        }),
      )
      .optional(),
  }),
  /** Null for the approval of a message that no tool was part of. */
  call: z
    .strictObject({
      tool_call_id: z.string(),
      module: z.string(),
      module_version: z.string(),
      tool: z.string(),
      title: z.string(),
      effect: z.enum(['read', 'write', 'destructive', 'unknown']),
      definition_hash: z.string(),
      /** As the card showed them: secrets masked. Null when they are too large or too deep for a receipt. */
      arguments: JsonObject.nullable(),
      /** Of the arguments as they were approved, before masking. */
      arguments_hash: Hash,
      /** When it was signed. `unknown`: interrupted, and it may have changed something. */
      status: z.enum(['pending', 'awaiting_approval', 'running', 'done', 'denied', 'failed', 'cancelled', 'unknown']),
      started_at: Time.nullable(),
      ended_at: Time.nullable(),
    })
    .nullable(),
  /** Entries of the audit log about the approval and the call, oldest first. */
  audit: z.array(ReceiptEntry).max(50),
})
export type Receipt = z.infer<typeof Receipt>

/** The end of the audit log at a time, version 1. */
export const AuditHead = z.strictObject({
  schema: z.literal('reeve.audit-head/1'),
  signed_by: Signature,
  /** UTC: `2026-01-31`. */
  day: z.iso.date(),
  /** The last entry, its hash, and when it was written. */
  audit_id: z.int(),
  hash: Hash,
  at: Time,
  /** The last entry that had been removed because of its age; 0: none. */
  removed_to: z.int(),
})
export type AuditHead = z.infer<typeof AuditHead>
