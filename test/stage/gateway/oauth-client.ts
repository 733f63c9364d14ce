import { createHash, randomBytes } from 'node:crypto'
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { contract } from '../../../contract/index.ts'
import type { TestClient } from '../client.ts'
import type { McpClient } from './mcp-client.ts'

export const REDIRECT = 'http://127.0.0.1:33418/callback'

export interface SignedIn {
  readonly client: McpClient
  /** What the client holds now. */
  tokens(): { access_token: string; refresh_token: string; scope: string }
  readonly client_id: string
}

/** An MCP client that an administrator has registered. */
export async function registeredClient(admin: TestClient, name = 'Codex', redirect_uris = [REDIRECT]) {
  const { client } = await admin.call(contract.oauth.addOauthClient, { body: { name, redirect_uris } })
  return client.client_id
}

/** The official client with its own OAuth; `agree` is the person in the browser, and gives where that ends. */
export async function signInClient(
  publicUrl: string,
  client_id: string,
  agree: (address: URL) => Promise<string>,
): Promise<SignedIn> {
  let verifier = ''
  let tokens: unknown
  let discovered: unknown
  let asked: URL | undefined
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT,
    clientMetadata: { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
    state: () => 'a-state',
    clientInformation: () => ({ client_id }),
    tokens: () => tokens as never,
    saveTokens: (given) => void (tokens = given),
    redirectToAuthorization: (address) => void (asked = address),
    saveCodeVerifier: (given) => void (verifier = given),
    codeVerifier: () => verifier,
    saveDiscoveryState: (given) => void (discovered = given),
    discoveryState: () => discovered as never,
  }
  const transport = () => new StreamableHTTPClientTransport(new URL('/mcp', publicUrl), { authProvider: provider })
  const open = () => new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } })
  const first = transport()
  await open()
    .connect(first)
    .then(
      () => {
        throw new Error('It got in without a token.')
      },
      (error: unknown) => {
        if (!(error instanceof UnauthorizedError)) throw error
      },
    )
  const back = new URL(await agree(asked!))
  await first.finishAuth(back.searchParams)
  const client = open()
  await client.connect(transport())
  return {
    client: Object.assign(client, { [Symbol.asyncDispose]: () => client.close() }),
    tokens: () => tokens as ReturnType<SignedIn['tokens']>,
    client_id,
  }
}

/** What the consent page does when the person agrees to these. */
export async function agreeTo(person: TestClient, address: URL, permissions: readonly string[]): Promise<string> {
  const query = address.search
  const { client } = await person.call(contract.oauth.readOauthRequest, { body: { query } })
  if (client === null) throw new Error('There is nothing to decide.')
  const body = { query, permissions: [...permissions] }
  return (await person.call(contract.oauth.decideOauthRequest, { body })).location
}

/** A request for a code, as a client makes it. */
export function codeRequest(url: string, client_id: string, more: Record<string, string> = {}) {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const params = {
    client_id,
    response_type: 'code',
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 's',
    resource: `${url}/mcp`,
    ...more,
  }
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== ''))
  return { verifier, query: `?${query.toString()}` }
}
