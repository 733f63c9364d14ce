import type { HeadPlace } from '../../../contract/receipts.ts'

/** A key pair of the installation. Public keys are kept for ever: they verify what was signed. */
export interface SigningKeyTable {
  /** SHA-256 of the public key, hex. */
  key_id: string
  /** PEM. */
  public_key: string
  /** The private key (PEM), sealed; null once it is retired. */
  sealed_key: string | null
  /** 1 for the one in use, of which there is at most one; null for all others. */
  in_use: 1 | null
  created_at: number
  retired_at: number | null
}
/** The head of the audit log as signed on a day. */
export interface AuditHeadTable {
  /** UTC: `2026-01-31`. */
  day: string
  audit_id: number
  hash: string
  key_id: string
  signed_at: number
  /** The signed document, as it is sent. */
  envelope: string
}
/** Sending a head to one place. */
export interface AuditHeadDeliveryTable {
  day: string
  place: HeadPlace
  attempts: number
  /** When it may be tried again: whoever raises `attempts` tries. */
  next_at: number
  sent_at: number | null
  problem: string | null
}
