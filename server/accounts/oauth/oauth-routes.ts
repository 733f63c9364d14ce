import { buffer } from 'node:stream/consumers'
import type { Provider } from 'oidc-provider'
import { type OauthAddresses, OAUTH_SCOPE } from '../../../contract/oauth-addresses.ts'
import type { oauth as contract } from '../../../contract/oauth.ts'
import type { Handlers } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { decideRequest, readRequest } from './decide-request.ts'
import { addClient, listClients, listHosts, removeClient, saveHosts } from './oauth-clients.ts'
import type { OauthContext } from './oauth-context.ts'
import { FORMS, openProvider, PATHS } from './open-provider.ts'
import { simulated } from './simulated-request.ts'

/** What a request of a client needs of its headers; who it is, it says in the form. */
const HEADERS = ['content-type', 'accept']

/** OAuth 2.1 for MCP clients. `addresses` null: the service has no public address of https, and nobody gets in that way. */
export function oauthRoutes(
  parts: Omit<OauthContext, 'addresses'> & { readonly addresses: OauthAddresses | null },
): Handlers<typeof contract> {
  const ok = true as const
  let opened: Promise<Provider> | null = null

  async function provider(): Promise<{ context: OauthContext; provider: Provider }> {
    const context = { ...parts, addresses: available() }
    opened ??= openProvider(context)
    try {
      return { context, provider: await opened }
    } catch (error) {
      opened = null
      throw error
    }
  }

  /** @throws {AppError} not_found */
  function available(): OauthAddresses {
    if (parts.addresses !== null) return parts.addresses
    throw new AppError('not_found', say`Clients can only sign in where the service has a public address of https.`)
  }

  async function answer(
    path: string,
    headers: Record<string, unknown>,
    body: AsyncIterable<Uint8Array>,
  ): Promise<Response> {
    const { context, provider: library } = await provider()
    const given = HEADERS.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : []))
    const said = await simulated(library.callback(), {
      method: 'POST',
      url: new URL(path, context.addresses.issuer),
      headers: Object.fromEntries(given) as Record<string, string>,
      body: await buffer(body),
    })
    return new Response(said.body, { status: said.status, headers: said.headers })
  }

  return {
    oauthServer: async () => {
      const { issuer } = available()
      const { origin } = new URL(issuer)
      return {
        issuer,
        authorization_endpoint: origin + PATHS.authorization,
        token_endpoint: origin + PATHS.token,
        revocation_endpoint: origin + PATHS.revocation,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: FORMS,
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        revocation_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: (await listHosts(parts)).length > 0,
        scopes_supported: [OAUTH_SCOPE],
      }
    },
    oauthResource: async () => {
      const { issuer, resource } = available()
      return {
        resource,
        authorization_servers: [issuer],
        scopes_supported: [OAUTH_SCOPE],
        bearer_methods_supported: ['header'],
        resource_name: 'Reeve',
      }
    },
    oauthToken: ({ headers, body }) => answer(PATHS.token, headers, body),
    oauthRevoke: ({ headers, body }) => answer(PATHS.revocation, headers, body),
    readOauthRequest: async ({ body }) => {
      const { context, provider: library } = await provider()
      return readRequest(context, library, body.query)
    },
    decideOauthRequest: async ({ caller, body }) => {
      const { context, provider: library } = await provider()
      return { ok, location: await decideRequest(context, library, caller, body.query, body.permissions) }
    },
    listOauthClients: async () => ({
      available: parts.addresses !== null,
      items: await listClients(parts),
      hosts: await listHosts(parts),
    }),
    addOauthClient: async ({ caller, body }) => ({ ok, client: await addClient(parts, caller, body) }),
    removeOauthClient: async ({ caller, params }) => {
      await removeClient(parts, caller, params.client_id)
      return { ok, deleted: params.client_id }
    },
    saveOauthHosts: async ({ caller, body }) => ({ ok, hosts: await saveHosts(parts, caller, body.hosts) }),
  }
}
