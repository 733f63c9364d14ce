import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'

export const CLIENT_ID = 'reeve'
export const CLIENT_SECRET = 'a secret between the two of them'
const CALLBACK = '/api/auth/oidc/callback'

export interface OpenidPersonClaims {
  readonly sub: string
  readonly preferred_username?: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly groups?: readonly string[]
}

/** What is used of oidc-provider, which has no types of its own. */
interface Provider {
  callback(): RequestListener
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  Grant: new (of: { accountId: string; clientId: string }) => {
    addOIDCScope(scope: string): void
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

export interface OpenidProviderStage extends AsyncDisposable {
  readonly issuer: string
  /** Lets the service at `url` ask; before the first sign-in. */
  register(url: string): void
  /** Who signs in from now on. Whoever it is agrees at once. */
  person: OpenidPersonClaims
  /** Goes through the provider's pages as a browser does; gives the path and query with which it comes back. */
  visit(location: string): Promise<string>
  /** Does not answer any more. */
  sleep(): Promise<void>
}

/** A real OpenID Connect provider on this machine. */
export async function startOpenidProvider(): Promise<OpenidProviderStage> {
  let handler: RequestListener = (_request, response) => void response.writeHead(503).end()
  const server = createServer((request, response) => handler(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let service = ''
  const sleep = async (): Promise<void> => {
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  const stage: OpenidProviderStage = {
    issuer,
    person: { sub: 'nobody' },
    register(url) {
      service = url
      const provider = openProvider(issuer, url, () => stage.person)
      const answer = provider.callback()
      handler = (request, response) => {
        if (!request.url?.startsWith('/interaction/')) return answer(request, response)
        void provider.interactionFinished(request, response, { login: { accountId: stage.person.sub } })
      }
    },
    async visit(location) {
      const cookies = new Map<string, string>()
      let url = new URL(location)
      for (let steps = 0; steps < 10; steps++) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
        for (const line of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          cookies.set(name, value)
        }
        const next = response.headers.get('location')
        if (next === null) throw new Error(`The provider stays at ${url.href}: ${await response.text()}`)
        url = new URL(next, url)
        if (url.origin === service) return url.pathname + url.search
      }
      throw new Error(`The provider never comes back: ${url.href}`)
    },
    sleep,
    [Symbol.asyncDispose]: sleep,
  }
  return stage
}

function openProvider(issuer: string, service: string, person: () => OpenidPersonClaims): Provider {
  const require = createRequire(import.meta.url)
  const { default: Provider } = require('oidc-provider') as {
    default: new (issuer: string, configuration: object) => Provider
  }
  // A class of our own: theirs comes with a warning.
  const { default: Memory } = require('oidc-provider/lib/adapters/memory_adapter.js') as { default: new () => object }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const people = new Map<string, OpenidPersonClaims>()
  return new Provider(issuer, {
    adapter: class extends Memory {},
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [service + CALLBACK],
        grant_types: ['authorization_code'],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['for tests'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    scopes: ['openid', 'profile', 'email', 'groups'],
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount(_context: unknown, accountId: string) {
      if (person().sub === accountId) people.set(accountId, person())
      return { accountId, claims: () => people.get(accountId) ?? { sub: accountId } }
    },
    async loadExistingGrant({ oidc }: GrantContext) {
      const grant = new oidc.provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId })
      grant.addOIDCScope('openid profile email groups')
      await grant.save()
      return grant
    },
  })
}
