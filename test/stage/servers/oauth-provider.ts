import { generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { mcp, serve } from './remote-server.ts'

/** What is used of oidc-provider, which has no types of its own. */
interface Provider {
  callback(): RequestListener
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  readonly AccessToken: { find(token: string): Promise<{ readonly accountId: string } | undefined> }
  Grant: new (of: { accountId: string; clientId: string }) => {
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }
}
interface GrantContext {
  readonly oidc: {
    readonly provider: Provider
    readonly client: { readonly clientId: string }
    readonly session: { readonly accountId: string }
  }
}

/** An MCP server behind a real authorization server: whoever registers may ask, and each account has words of its own. */
export async function oauthProvider(accounts: readonly string[]) {
  let answer: RequestListener = (_request, response) => void response.writeHead(503).end()
  const server = await serve((request, response) => answer(request, response))
  const issuer = new URL(server.url).origin
  const provider = openProvider(issuer, server.url)
  const pages = provider.callback()
  const own = new Map(accounts.map((account) => [account, mcp(`the notes of ${account}`)]))
  const calls: string[] = []

  async function asModule(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1]
    const account = token === undefined ? undefined : (await provider.AccessToken.find(token))?.accountId
    const listener = own.get(account ?? '')
    if (account === undefined || listener === undefined) {
      const metadata = `Bearer resource_metadata="${issuer}/.well-known/oauth-protected-resource/mcp", scope="notes"`
      return void response.writeHead(401, { 'www-authenticate': metadata }).end()
    }
    if (request.headers['mcp-method'] === 'tools/call') calls.push(account)
    listener(request, response)
  }

  answer = (request, response) => {
    const { pathname } = new URL(request.url ?? '/', issuer)
    if (pathname === '/mcp') return void asModule(request, response)
    if (pathname === '/.well-known/oauth-protected-resource/mcp') {
      const said = { resource: server.url, authorization_servers: [issuer], scopes_supported: ['notes'] }
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said))
    }
    const [, interaction, account] = /^(\/interaction\/[\w-]+)(?:\/(\w+))?$/.exec(pathname) ?? []
    if (interaction === undefined) return pages(request, response)
    if (account !== undefined)
      return void provider.interactionFinished(request, response, { login: { accountId: account }, consent: {} })
    const links = accounts.map((name) => `<li><a href="${interaction}/${name}">Sign in as ${name}</a>`).join('')
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(`<!doctype html><html lang="en"><title>Sign in</title><ul>${links}</ul>`)
  }
  return { ...server, calls }
}

function openProvider(issuer: string, resource: string): Provider {
  const require = createRequire(import.meta.url)
  const { default: Provider } = require('oidc-provider') as {
    default: new (issuer: string, configuration: object) => Provider
  }
  // A class of our own: theirs comes with a warning.
  const { default: Memory } = require('oidc-provider/lib/adapters/memory_adapter.js') as { default: new () => object }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return new Provider(issuer, {
    adapter: class extends Memory {},
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['for tests'] },
    scopes: ['openid', 'offline_access', 'notes'],
    clientAuthMethods: ['none'],
    clientDefaults: { application_type: 'native', token_endpoint_auth_method: 'none' },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: 'notes', audience: resource, accessTokenFormat: 'opaque' }),
      },
    },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, Interaction: 600, RefreshToken: 600, Session: 600 },
    findAccount: (_context: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    async loadExistingGrant({ oidc }: GrantContext) {
      const grant = new oidc.provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId })
      grant.addOIDCScope('openid offline_access notes')
      grant.addResourceScope(resource, 'notes')
      await grant.save()
      return grant
    },
  })
}
