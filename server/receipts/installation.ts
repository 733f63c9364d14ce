import type { z } from 'zod'
import { iso } from '../kernel/time.ts'
import type { Signature } from './documents.ts'
import type { Signer } from './signing-key.ts'

/** How the installation calls itself in what it signs. */
export interface Installation {
  /** Of the machine. */
  readonly name: string
  /** Under which people reach it. */
  readonly address: () => string
  /** The version of Reeve. */
  readonly reeve: string
}

/** What every signed document says of its signer. */
export function signedBy(
  { name, address, reeve }: Installation,
  { key_id, pem }: Signer,
  now: number,
): z.infer<typeof Signature> {
  return {
    installation: { name, address: address(), reeve },
    key: { key_id, public_key: pem },
    signed_at: iso(now),
  }
}
