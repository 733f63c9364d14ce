import { z } from 'zod'
import { json, route } from './route.ts'
import { TokenScope } from './rules.ts'
import { Ok, Timestamp } from './values.ts'

/** Bytes of a request for tokens. */
const FORM_LIMIT = 16 * 1024
const QUERY_LIMIT = 8 * 1024

/** A client that an administrator has registered. */
export const OauthClient = z.strictObject({
  client_id: z.string(),
  name: z.string(),
  redirect_uris: z.array(z.string()),
  created_at: Timestamp,
})
export type OauthClient = z.infer<typeof OauthClient>

/** Where a client is taken back to: an address of https, one of this very machine, or a scheme of its own. */
const RedirectUri = z
  .string()
  .max(500)
  .refine(
    (text) => isRedirect(text),
    'must be an https address, an http address of localhost, or of a scheme of its own',
  )
/** The host of a client that describes itself at an address: `claude.ai`. */
const ClientHost = z
  .string()
  .max(253)
  .regex(/^(?=.*\.)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/)

export const OAUTH_HOSTS_LIMIT = 50

/** What a client asks for, as the person sees it; or where to go instead, because the request is refused. */
export const OauthRequest = z.strictObject({
  /** Null: nothing to decide, the person goes to `location`. */
  client: z
    .strictObject({
      client_id: z.string(),
      name: z.string(),
      /** Whose it is, if it describes itself; null: an administrator has registered it. */
      host: z.string().nullable(),
      redirect_host: z.string(),
      /** It is taken back to a program on the machine of the browser, whichever listens there. */
      local: z.boolean(),
      /** What it asks for by name; empty: the person chooses among all. */
      subjects: z.array(z.string()),
    })
    .nullable(),
  location: z.string().nullable(),
})
export type OauthRequest = z.infer<typeof OauthRequest>

const metadata = (path: `/${string}`, summary: string) =>
  route({
    method: 'GET',
    path,
    summary,
    access: 'public',
    response: json(z.looseObject({})),
    errors: ['not_found'],
  })
const form = (path: `/${string}`, summary: string) =>
  route({
    method: 'POST',
    path,
    summary,
    access: 'public',
    callerless: true,
    rateLimit: 120,
    sharedLimit: true,
    headers: z.looseObject({}),
    body: { kind: 'raw', limit: FORM_LIMIT },
    response: { kind: 'relayed' },
    errors: ['not_found'],
  })

/** OAuth 2.1 for MCP clients; only where the service has a public address of https. */
export const oauth = {
  oauthServer: metadata('/.well-known/oauth-authorization-server/oauth', 'Where MCP clients get tokens (RFC 8414)'),
  oauthResource: metadata('/.well-known/oauth-protected-resource/mcp', 'Who gives out tokens for /mcp (RFC 9728)'),
  oauthToken: form('/oauth/token', 'Tokens for a code or a refresh token, for MCP clients'),
  oauthRevoke: form('/oauth/revoke', 'Ends the access of an MCP client by one of its tokens (RFC 7009)'),
  readOauthRequest: route({
    method: 'POST',
    path: '/api/oauth/request',
    summary: 'What the MCP client asks for that has led the person here; decides nothing',
    access: 'session',
    sessionOnly: true,
    rateLimit: 60,
    body: json(z.strictObject({ query: z.string().max(QUERY_LIMIT) })),
    response: json(OauthRequest),
    errors: ['not_found'],
  }),
  decideOauthRequest: route({
    method: 'POST',
    path: '/api/oauth/decision',
    summary: 'Let an MCP client in, with these permissions, or refuse it; gives the address to go to',
    access: 'session',
    sessionOnly: true,
    freshSignIn: true,
    rateLimit: 60,
    body: json(
      z.strictObject({
        query: z.string().max(QUERY_LIMIT),
        /** Null: refused. */
        permissions: z.array(TokenScope).max(200).nullable(),
      }),
    ),
    response: json(z.strictObject({ ok: Ok, location: z.string() })),
    errors: ['not_found'],
  }),
  listOauthClients: route({
    method: 'GET',
    path: '/api/oauth/clients',
    summary: 'MCP clients that may ask people for access: registered ones, and hosts whose clients describe themselves',
    access: 'admin',
    response: json(
      z.strictObject({
        /** False: the service has no public address of https, and nobody can ask. */
        available: z.boolean(),
        items: z.array(OauthClient),
        hosts: z.array(z.string()),
      }),
    ),
    errors: [],
  }),
  addOauthClient: route({
    method: 'POST',
    path: '/api/oauth/clients',
    summary: 'Register an MCP client',
    access: 'admin',
    sessionOnly: true,
    body: json(
      z.strictObject({
        name: z.string().trim().min(1).max(80),
        redirect_uris: z.array(RedirectUri).min(1).max(10),
      }),
    ),
    response: json(z.strictObject({ ok: Ok, client: OauthClient })),
    errors: [],
  }),
  removeOauthClient: route({
    method: 'DELETE',
    path: '/api/oauth/clients/{client_id}',
    summary: 'Remove an MCP client; everybody’s access by it ends',
    access: 'admin',
    sessionOnly: true,
    params: z.object({ client_id: z.string() }),
    response: json(z.strictObject({ ok: Ok, deleted: z.string() })),
    errors: ['not_found'],
  }),
  saveOauthHosts: route({
    method: 'PUT',
    path: '/api/oauth/hosts',
    summary: 'Hosts whose MCP clients may describe themselves; access by clients of others ends',
    access: 'admin',
    sessionOnly: true,
    body: json(z.strictObject({ hosts: z.array(ClientHost).max(OAUTH_HOSTS_LIMIT) })),
    response: json(z.strictObject({ ok: Ok, hosts: z.array(z.string()) })),
    errors: [],
  }),
}

function isRedirect(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.hash !== '' || url.username !== '' || url.password !== '') return false
  if (url.protocol === 'https:') return !isLocalHost(url.hostname)
  if (url.protocol === 'http:') return isLocalHost(url.hostname)
  // A scheme of a program's own is a name that its maker owns: `com.example.app:/callback`, or `cursor://…`.
  return (
    /^[a-z][a-z0-9+.-]+:$/.test(url.protocol) &&
    !['javascript:', 'data:', 'file:', 'blob:', 'vbscript:'].includes(url.protocol)
  )
}

export function isLocalHost(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
