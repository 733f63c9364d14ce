import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthProtectedResourceMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/client'
import { GuardedFetchError } from '../../kernel/network/guarded-fetch.ts'
import { say } from '../../kernel/sentence.ts'
import { ModuleProblem } from '../spec/module-problem.ts'
import { GrantOver, inWords } from './authorization-problem.ts'

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>

/** Whom Reeve asks for access to a server, and for what. */
interface Authorizer {
  readonly url: string
  readonly issuer: string
  readonly metadata?: AuthorizationServerMetadata
  readonly resource?: string
}
/** Between sending a browser there and its return. */
export interface Pending extends Authorizer {
  readonly client: OAuthClientInformationMixed
  readonly redirect_uri: string
  readonly verifier: string
  readonly scope?: string
  /** The conversation that needs it. */
  readonly conversation_id?: string
  /** Reeve has registered there for this. */
  readonly registered?: true
}
/** What was granted, with what is needed to renew it. */
export interface Grant extends Authorizer {
  readonly client: OAuthClientInformationMixed
  readonly access_token: string
  readonly refresh_token?: string
  readonly scope: string | null
  /** Epoch milliseconds; null: nobody said. */
  readonly expires_at: number | null
}

export interface Asking {
  /** The address of the server to be used. */
  readonly server: string
  readonly fetch: Fetch
  readonly redirect_uri: string
  /** Where authorization servers read who Reeve is; null: nowhere that they can reach. */
  readonly client_url: string | null
  /** The `WWW-Authenticate` header of a refusal, if there was one already. */
  readonly challenge: string | null
  /** What was granted before, so that it is not lost. */
  readonly scope: string | null
  /** How Reeve is known to this authorization server: as an administrator wrote down, or as it registered before. */
  known(issuer: string): Promise<OAuthClientInformationMixed | null>
  /** It has registered. */
  keep(issuer: string, client: OAuthClientInformationMixed): Promise<void>
}

const CLIENT_NAME = 'Reeve'
/** Asked without proof. Some servers let everybody greet them, so it is something that is worth protecting. */
const QUESTION = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

/** What Reeve says of itself to an authorization server. */
export function clientMetadata(redirect_uri: string) {
  return {
    client_name: CLIENT_NAME,
    redirect_uris: [redirect_uri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
}

/**
 * Finds out whom to ask, makes Reeve known there, and returns the address to send a browser to.
 * @throws {ModuleProblem}
 */
export async function beginAuthorization(asking: Asking, state: string): Promise<{ url: string; pending: Pending }> {
  return inWords(async () => {
    const sdk = await import('@modelcontextprotocol/client')
    const fetchFn = reporting(asking.fetch)
    const header = asking.challenge ?? (await challengeOf(asking))
    const said = sdk.extractWWWAuthenticateParams(
      new Response(null, { status: 401, headers: header === null ? {} : { 'www-authenticate': header } }),
    )
    const { resourceMetadataUrl } = said
    const found = await sdk.discoverOAuthServerInfo(asking.server, {
      fetchFn,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
    })
    const { authorizationServerMetadata: metadata, resourceMetadata } = found
    const resource = resourceOf(asking.server, resourceMetadata, sdk)
    const issuer = metadata?.issuer ?? String(found.authorizationServerUrl)
    const scope = scopeOf(sdk.computeScopeUnion(asking.scope ?? undefined, said.scope), resourceMetadata, metadata)
    const authorizer: Authorizer = {
      url: String(found.authorizationServerUrl),
      issuer,
      ...(metadata && { metadata }),
      ...(resource !== null && { resource }),
    }
    const known = await asking.known(issuer)
    const client = known ?? (await clientAt(authorizer, asking, scope, fetchFn, sdk))
    const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(authorizer.url, {
      ...authorizer,
      clientInformation: client,
      redirectUrl: asking.redirect_uri,
      state,
      ...(scope !== undefined && { scope }),
    })
    if (!['https:', 'http:'].includes(authorizationUrl.protocol))
      throw new ModuleProblem(say`The address to sign in at is not one of the web.`)
    const { redirect_uri } = asking
    const pending = {
      ...authorizer,
      client,
      redirect_uri,
      verifier: codeVerifier,
      ...(scope !== undefined && { scope }),
      ...(known === null && { registered: true as const }),
    }
    return { url: authorizationUrl.href, pending }
  })
}

/** What the browser brought back. */
export interface Returned {
  readonly code?: string | undefined
  readonly iss?: string | undefined
  readonly error?: string | undefined
}

/** Exchanges what the browser brought back for tokens. @throws {ModuleProblem} */
export async function finishAuthorization(
  pending: Pending,
  returned: Returned,
  fetch: Fetch,
  now: number,
): Promise<Grant> {
  return inWords(async () => {
    const sdk = await import('@modelcontextprotocol/client')
    const { metadata, client, url } = pending
    // Who answers is settled before anything that it says is believed, a refusal included.
    sdk.validateAuthorizationResponseIssuer({
      iss: returned.iss,
      expectedIssuer: metadata?.issuer,
      issParameterSupported: metadata?.['authorization_response_iss_parameter_supported'] === true,
    })
    if (returned.code === undefined) throw new ModuleProblem(say`The sign-in there was refused or cancelled.`)
    const tokens = await sdk.exchangeAuthorization(url, {
      ...pending,
      clientInformation: client,
      authorizationCode: returned.code,
      codeVerifier: pending.verifier,
      redirectUri: pending.redirect_uri,
      fetchFn: reporting(fetch),
      ...(returned.iss !== undefined && { iss: returned.iss }),
    })
    return granted(pending, tokens, pending.scope ?? null, now)
  })
}

/** New tokens for those that were granted. @throws {GrantOver} @throws {ModuleProblem} */
export async function renewGrant(grant: Grant, fetch: Fetch, now: number): Promise<Grant> {
  return inWords(async () => {
    if (grant.refresh_token === undefined) throw new GrantOver(say`What was granted has ended.`)
    const sdk = await import('@modelcontextprotocol/client')
    const { metadata, resource } = grant
    const tokens = await sdk.refreshAuthorization(grant.url, {
      ...(metadata && { metadata }),
      ...(resource !== undefined && { resource }),
      clientInformation: grant.client,
      refreshToken: grant.refresh_token,
      fetchFn: reporting(fetch),
    })
    return granted(grant, tokens, grant.scope, now)
  })
}

function granted(from: Pending | Grant, tokens: OAuthTokens, scope: string | null, now: number): Grant {
  const { url, issuer, metadata, resource, client } = from
  if (tokens.token_type.toLowerCase() !== 'bearer')
    throw new ModuleProblem(say`It grants tokens of a kind that Reeve cannot use.`)
  return {
    url,
    issuer,
    ...(metadata && { metadata }),
    ...(resource !== undefined && { resource }),
    client,
    access_token: tokens.access_token,
    ...(tokens.refresh_token !== undefined && { refresh_token: tokens.refresh_token }),
    scope: tokens.scope ?? scope,
    expires_at: tokens.expires_in === undefined ? null : now + tokens.expires_in * 1000,
  }
}

type Sdk = typeof import('@modelcontextprotocol/client')

/** How the server answers who asks without proof: in a header, where it has something to say. */
async function challengeOf({ server, fetch }: Asking): Promise<string | null> {
  const answer = await fetch(server, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify(QUESTION),
  })
  await answer.body?.cancel()
  return answer.status === 401 || answer.status === 403 ? answer.headers.get('www-authenticate') : null
}

/** What the tokens are for: the server itself, and nothing that it merely claims to be. */
function resourceOf(server: string, metadata: OAuthProtectedResourceMetadata | undefined, sdk: Sdk): string | null {
  if (metadata === undefined) return null
  const requestedResource = sdk.resourceUrlFromServerUrl(server)
  if (!sdk.checkResourceAllowed({ requestedResource, configuredResource: metadata.resource }))
    throw new ModuleProblem(say`The server says that it is another one, so nothing is sent to it.`)
  return metadata.resource
}

function scopeOf(
  asked: string | undefined,
  resource: OAuthProtectedResourceMetadata | undefined,
  metadata: AuthorizationServerMetadata | undefined,
): string | undefined {
  const scope = asked ?? resource?.scopes_supported?.join(' ')
  if (scope === undefined || scope === '') return undefined
  const offline = metadata?.scopes_supported?.includes('offline_access') && !scope.split(' ').includes('offline_access')
  return offline ? `${scope} offline_access` : scope
}

async function clientAt(
  { url, issuer, metadata }: Authorizer,
  asking: Asking,
  scope: string | undefined,
  fetchFn: Fetch,
  sdk: Sdk,
): Promise<OAuthClientInformationMixed> {
  if (metadata?.['client_id_metadata_document_supported'] === true && asking.client_url !== null)
    return { client_id: asking.client_url }
  if (metadata !== undefined && metadata.registration_endpoint === undefined)
    throw new ModuleProblem(
      say`Reeve cannot register itself at ${issuer}. Register it there, and enter its client ID in the settings.`,
    )
  const methods = metadata?.token_endpoint_auth_methods_supported
  const method = ['none', 'client_secret_basic', 'client_secret_post'].find((each) => methods?.includes(each))
  const client = await sdk.registerClient(url, {
    clientMetadata: {
      ...sdk.resolveClientMetadata({
        clientMetadata: clientMetadata(asking.redirect_uri),
        redirectUrl: asking.redirect_uri,
      }),
      ...(method !== undefined && { token_endpoint_auth_method: method }),
    },
    fetchFn,
    ...(metadata && { metadata }),
    ...(scope !== undefined && { scope }),
  })
  await asking.keep(issuer, client)
  return client
}

/** What failed on the way to a server must not look like a server that says nothing about authorization. */
function reporting(fetch: Fetch): Fetch {
  return async (input, init) => {
    try {
      // What proves who Reeve is must not be sent on to where an answer leads.
      return await fetch(input, init?.method === 'POST' ? { ...init, redirect: 'manual' } : init)
    } catch (error) {
      throw error instanceof GuardedFetchError ? new TypeError(error.message, { cause: error }) : error
    }
  }
}
