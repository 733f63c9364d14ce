/** The scope that a client asks for who knows nothing better: everything else is chosen by the person. */
export const OAUTH_SCOPE = 'codex.use'

export interface OauthAddresses {
  readonly issuer: string
  /** What tokens are for. */
  readonly resource: string
  /** The document that says where they are given out. */
  readonly metadata: string
}

/** Where clients sign in, if the service is reached by `https`; else null: codes and tokens would be read on the way. */
export function oauthAddresses(publicUrl: string | null): OauthAddresses | null {
  if (publicUrl === null) return null
  const { protocol, origin } = new URL(publicUrl)
  if (protocol !== 'https:') return null
  return {
    issuer: `${origin}/oauth`,
    resource: `${origin}/mcp`,
    metadata: `${origin}/.well-known/oauth-protected-resource/mcp`,
  }
}
