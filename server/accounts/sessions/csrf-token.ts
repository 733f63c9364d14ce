import type { Vault } from '../../kernel/vault.ts'

/** The CSRF token of a session: derived, so that every process computes the same one and none has to be stored. */
export function csrfToken(vault: Vault, session_id: string): string {
  return vault.hmac('csrf', session_id)
}
