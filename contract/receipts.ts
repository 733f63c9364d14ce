import { z } from 'zod'
import { json, route } from './route.ts'
import { Id, Timestamp } from './values.ts'

/** A key that signs, or signed, receipts and heads of the audit log. */
export const SigningKey = z.strictObject({
  /** SHA-256 of the public key (DER of its SubjectPublicKeyInfo), 64 hexadecimal digits. */
  key_id: z.string().regex(/^[0-9a-f]{64}$/),
  /** The same, as pairs of upper-case hexadecimal digits separated by `:`. */
  fingerprint_sha256: z.string().regex(/^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/),
  algorithm: z.literal('Ed25519'),
  /** PEM. */
  public_key: z.string(),
  created_at: Timestamp,
  /** When another key took its place; null for the one in use. */
  retired_at: Timestamp.nullable(),
})
export type SigningKey = z.infer<typeof SigningKey>

/** A place outside to which signed heads are sent. */
export const HeadPlace = z.enum(['file', 'webhook', 'syslog'])
export type HeadPlace = z.infer<typeof HeadPlace>

/** What the newest head of the audit log says, and how sending it went. */
export const SignedHead = z.strictObject({
  /** UTC: `2026-01-31`. */
  day: z.string(),
  /** The last entry it covers, and that entry's hash. */
  audit_id: z.int(),
  hash: z.string(),
  key_id: z.string(),
  signed_at: Timestamp,
  sent: z.array(
    z.strictObject({
      place: HeadPlace,
      /** Null while it has not arrived. */
      sent_at: Timestamp.nullable(),
      attempts: z.int(),
      /** Why the last attempt failed, in English. */
      problem: z.string().nullable(),
    }),
  ),
})
export type SignedHead = z.infer<typeof SignedHead>

const RECEIPT_ERRORS = ['not_found', 'receipt_unavailable'] as const

/** What this installation signs, and the keys that prove it. */
export const receipts = {
  signingKeys: route({
    method: 'GET',
    path: '/api/signing-keys',
    summary:
      'The public keys that sign receipts and heads of the audit log: the one in use first, then those before it',
    access: 'public',
    response: json(z.strictObject({ items: z.array(SigningKey) })),
    errors: [],
    rateLimit: 600,
  }),
  signingKeysPem: route({
    method: 'GET',
    path: '/certificate/signing-keys.pem',
    summary: 'The same keys as one PEM file, for reeve receipt verify --key',
    access: 'public',
    response: { kind: 'file', disposition: 'attachment', cache: 'no-store' },
    errors: [],
    rateLimit: 600,
  }),
  receipt: route({
    method: 'GET',
    path: '/api/chat/approvals/{approval_id}/receipt',
    summary: 'The receipt of my approval and its call: a signed document (DSSE) that anybody can verify offline',
    access: 'session',
    tokenNeeds: 'conversations.read',
    params: z.object({ approval_id: Id }),
    response: { kind: 'file', disposition: 'attachment', cache: 'no-store' },
    errors: [...RECEIPT_ERRORS],
  }),
  auditReceipt: route({
    method: 'GET',
    path: '/api/admin/audit/{audit_id}/receipt',
    summary: 'The receipt of the approval that an entry of the audit log is about',
    access: 'session',
    permissions: ['audit.read'],
    params: z.object({ audit_id: z.string() }),
    response: { kind: 'file', disposition: 'attachment', cache: 'no-store' },
    errors: ['forbidden', 'approval_required', ...RECEIPT_ERRORS],
  }),
  auditHead: route({
    method: 'GET',
    path: '/api/admin/audit/head',
    summary: 'The newest signed head of the audit log, and whether it was sent elsewhere',
    access: 'session',
    permissions: ['audit.read'],
    response: json(z.strictObject({ head: SignedHead.nullable() })),
    errors: ['forbidden', 'approval_required'],
  }),
  auditHeads: route({
    method: 'GET',
    path: '/api/admin/audit/heads',
    summary: 'All signed heads of the audit log, one a line, for reeve audit verify --heads',
    access: 'session',
    permissions: ['audit.read'],
    response: { kind: 'file', disposition: 'attachment', cache: 'no-store' },
    errors: ['forbidden', 'approval_required'],
  }),
}
