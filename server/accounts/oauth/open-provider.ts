import { generateKeyPairSync } from 'node:crypto'
import type { Provider } from 'oidc-provider'
import { MCP_TOKEN_DAYS } from '../../../contract/token-limits.ts'
import { hostOf, listHosts } from './oauth-clients.ts'
import type { OauthContext } from './oauth-context.ts'
import { openStore } from './oauth-store.ts'

/** Seconds. */
const CODE = 60
const ACCESS = 10 * 60
const REFRESH = 30 * 24 * 3600
/** Of what exists only while one request is answered. */
const PASSING = 60

/** Paths that the library answers, and the one to which it sends people for their decision. */
export const PATHS = { authorization: '/oauth/authorize', token: '/oauth/token', revocation: '/oauth/revoke' }
export const DECIDES = '/oauth/decides/'
export const FORMS = ['authorization_code', 'refresh_token'] as const

interface Requested {
  readonly oidc: {
    readonly params?: { readonly scope?: string }
    readonly entities: Readonly<Record<string, { readonly scope?: string } | undefined>>
    readonly result?: { readonly consent?: { readonly grantId: string } }
    readonly provider: { readonly Grant: { find(id: string): Promise<unknown> } }
  }
}

/** The library that checks requests of clients and gives out codes and tokens; loaded by the first of them. */
export async function openProvider(context: OauthContext): Promise<Provider> {
  const { default: OidcProvider, errors } = await import('oidc-provider')
  const { db, vault, log, addresses, fetch } = context
  const { issuer, resource } = addresses
  const over = () => new errors.InvalidGrant('it was used before, or what it is for has ended')
  const isAllowed = async (client_id: string) => {
    const host = hostOf(client_id)
    return host === null || (await listHosts(context)).includes(host)
  }
  // Never used: no client gets a token that is signed. Without one, the library uses a key that everybody knows.
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const provider = new OidcProvider(issuer, {
    adapter: openStore(context, resource, over, () => OidcProvider.ctx?.oidc.route === 'token'),
    routes: PATHS,
    cookies: { keys: [vault.hmac('oauth cookies', '')] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' }] },
    scopes: [],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    clientDefaults: {
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      response_types: ['code'],
      grant_types: [...FORMS],
      id_token_signed_response_alg: 'ES256',
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_request: unknown, client: { clientId: string }, token: { clientId: string }) =>
          token.clientId === client.clientId,
      },
      dPoP: { enabled: false },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: (_request: unknown, client_id: string) => isAllowed(client_id),
        allowClient: (_request: unknown, { clientId }: { clientId: string }) => isAllowed(clientId),
        cacheDuration: { min: 30, max: 3600 },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo({ oidc }: Requested, asked: string) {
          if (asked !== resource) throw new errors.InvalidTarget('this server gives out tokens for itself only')
          const { AuthorizationCode, RefreshToken } = oidc.entities
          // What a person has agreed to bounds it; the library only looks up whether it is known.
          const scopes = [oidc.params?.scope, AuthorizationCode?.scope, RefreshToken?.scope]
          const scope = scopes.filter((one) => one !== undefined).join(' ')
          return { scope, audience: resource, accessTokenFormat: 'opaque', accessTokenTTL: ACCESS }
        },
      },
    },
    pkce: { required: () => true },
    fetch,
    interactions: { url: (_request: unknown, { uid }: { uid: string }) => DECIDES + uid },
    findAccount: async (_request: unknown, user_id: string) => {
      const user = await db.read
        .selectFrom('user')
        .select('user_id')
        .where('user_id', '=', user_id)
        .where('disabled_at', 'is', null)
        .executeTakeFirst()
      return user && { accountId: user_id, claims: () => ({ sub: user_id }) }
    },
    loadExistingGrant: ({ oidc }: Requested) => {
      const grant_id = oidc.result?.consent?.grantId
      return grant_id === undefined ? undefined : oidc.provider.Grant.find(grant_id)
    },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    revokeGrantPolicy: () => true,
    clientBasedCORS: () => false,
    renderError(answer: { type: string; body: unknown }, said: unknown) {
      answer.type = 'json'
      answer.body = said
    },
    ttl: {
      AuthorizationCode: CODE,
      AccessToken: ACCESS,
      RefreshToken: REFRESH,
      Grant: MCP_TOKEN_DAYS * 24 * 3600,
      Session: PASSING,
      Interaction: PASSING,
    },
  })
  provider.on('server_error', (_request, error) => log.error({ err: error }, 'a request of an OAuth client failed'))
  return provider
}
