import type { Vault } from '../kernel/vault.ts'

/** The CSRF token of a sign-in: derived, so that every process gives the same and none has to be stored. */
export function csrfToken(vault: Vault, session_id: string): string {
  return vault.hmac('csrf', session_id)
}
