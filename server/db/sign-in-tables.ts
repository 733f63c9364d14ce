/** Codes of an app as the second factor of a user; not asked for before they are confirmed. */
export interface UserTotpTable {
  user_id: string
  /** Base 32, sealed by the vault. */
  secret_sealed: string
  created_at: number
  confirmed_at: number | null
  /** The 30 seconds of the last code that was taken, counted from the epoch: none of it or before is taken again. */
  last_step: number
}
/** Each stands in for one code of the app, and is deleted when it is used. */
export interface BackupCodeTable {
  user_id: string
  code_hash: string
}
export interface PasskeyTable {
  passkey_id: string
  user_id: string
  name: string
  /** Base64url, as the authenticator made it. */
  credential_id: string
  /** COSE key, base64url. */
  public_key: string
  /** How often the authenticator says it signed; stays 0 for passkeys that are copied between devices. */
  counter: number
  /** JSON array: how the browser may reach the authenticator. */
  transports: string
  /** Host name for which it was made. */
  rp_id: string
  backed_up: number
  created_at: number
  last_used_at: number | null
}
/** What an authenticator is to sign, once and soon. */
export interface PasskeyChallengeTable {
  challenge_hash: string
  /** The sign-in that registers a passkey; null for somebody who signs in with one. */
  session_id: string | null
  origin: string
  expires_at: number
}
/** A person as a provider knows them. */
export interface OpenidIdentityTable {
  issuer: string
  subject: string
  user_id: string
  created_at: number
  last_used_at: number
}
