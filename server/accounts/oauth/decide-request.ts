import type { Interaction, Provider } from 'oidc-provider'
import { OAUTH_SCOPE } from '../../../contract/oauth-addresses.ts'
import { isLocalHost, type OauthRequest } from '../../../contract/oauth.ts'
import { MCP_TOKEN_DAYS } from '../../../contract/token-limits.ts'
import { TokenScope } from '../../../contract/rules.ts'
import type { Caller } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { newId, newSecret } from '../../kernel/id.ts'
import { say } from '../../kernel/sentence.ts'
import { cut, storable, visible } from '../../kernel/text/plain-text.ts'
import { iso } from '../../kernel/time.ts'
import { tokenHash } from '../sessions/secret-hash.ts'
import { endAccess } from './end-access.ts'
import { hostOf } from './oauth-clients.ts'
import type { OauthContext } from './oauth-context.ts'
import { DECIDES, PATHS } from './open-provider.ts'
import { simulated, type SimulatedAnswer } from './simulated-request.ts'

const NAME = 80
const DAY_MS = 86_400_000
/** Seconds that the library keeps what it is in the middle of. */
const PASSING = 60
const FOUND = [302, 303]
const MODE = 'response_mode'

/** A request that the library finds nothing wrong with, or where it sends the person who comes with it. */
type Begun =
  | { readonly interaction: Interaction; readonly uid: string; readonly cookies: string }
  | { readonly location: string }

/** What the client asks for that has sent the person here with this query. @throws {AppError} invalid_request */
export async function readRequest(context: OauthContext, provider: Provider, query: string): Promise<OauthRequest> {
  const begun = await begin(context, provider, query, subjectsOf(query))
  if ('location' in begun) return { client: null, location: begun.location }
  const { client_id, redirect_uri } = paramsOf(begun.interaction)
  const redirect = new URL(redirect_uri)
  return {
    location: null,
    client: {
      client_id,
      name: await nameOf(provider, client_id),
      host: hostOf(client_id),
      // A scheme of its own has none.
      redirect_host: redirect.host || redirect.protocol,
      local: isLocalHost(redirect.hostname),
      subjects: subjectsOf(query).filter((subject) => subject !== OAUTH_SCOPE),
    },
  }
}

/**
 * Lets the client in with these permissions, or refuses it (null); gives the address of the client, with a code or with the
 * refusal. @throws {AppError} invalid_request
 */
export async function decideRequest(
  context: OauthContext,
  provider: Provider,
  caller: Caller,
  query: string,
  permissions: readonly string[] | null,
): Promise<string> {
  const asked = subjectsOf(query).filter((subject) => subject !== OAUTH_SCOPE)
  if (permissions !== null && !permissions.some((subject) => subject.startsWith('tool:')))
    throw new AppError('invalid_request', say`A client needs the tools of one module at least.`)
  if (permissions !== null && asked.length > 0 && permissions.some((subject) => !asked.includes(subject)))
    throw new AppError('invalid_request', say`The client has not asked for that.`)
  const granted = [...new Set([...(permissions ?? []), OAUTH_SCOPE])].toSorted()
  const begun = await begin(context, provider, query, granted)
  if ('location' in begun) return begun.location
  if (permissions === null) return end(context, provider, begun, { error: 'access_denied' })
  const { client_id } = paramsOf(begun.interaction)
  const name = await nameOf(provider, client_id)
  const token_id = await storeAccess(context, caller, { client_id, name, permissions: granted })
  try {
    const login = { accountId: caller.user_id, remember: false }
    const location = await end(context, provider, begun, { login, consent: { grantId: token_id } })
    if (URL.parse(location)?.searchParams.has('code') === true) return location
    throw new Error('The library gave no code to a client that was let in.')
  } catch (error) {
    const { db, audit } = context
    await db.transaction((trx) => endAccess(trx, { db, audit }, token_id, 'client'))
    throw error
  }
}

/** The client's request, asking for these subjects. */
async function begin(
  context: OauthContext,
  provider: Provider,
  query: string,
  subjects: readonly string[],
): Promise<Begun> {
  const url = new URL(PATHS.authorization, context.addresses.issuer)
  url.search = new URLSearchParams([
    ...[...new URLSearchParams(query)].filter(([name]) => name !== 'scope' && name !== MODE),
    ['scope', subjects.join(' ')],
  ]).toString()
  const answer = await simulated(provider.callback(), { method: 'GET', url })
  const location = locationOf(answer)
  if (location === null) throw refusedBy(answer)
  const { pathname, origin } = new URL(location, url)
  if (origin !== url.origin || !pathname.startsWith(DECIDES)) return { location }
  const uid = pathname.slice(DECIDES.length)
  const interaction = await provider.Interaction.find(uid)
  if (interaction === undefined) throw new Error('The library has lost a request.')
  const cookies = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0]!)
    .join('; ')
  const begun = { interaction, uid, cookies }
  // The page leads people to an address: of whom it is, the library has found out by now.
  if (new URLSearchParams(query).getAll(MODE).some((mode) => mode !== 'query')) {
    const refusal = { error: 'invalid_request', error_description: 'the only response_mode is query' }
    return { location: await end(context, provider, begun, refusal) }
  }
  return begun
}

/** Tells the library what was decided; gives where the person goes. */
async function end(
  { addresses }: OauthContext,
  provider: Provider,
  { interaction, uid, cookies: cookie }: Exclude<Begun, { location: string }>,
  result: object,
): Promise<string> {
  interaction.result = result
  await interaction.save(PASSING)
  const url = new URL(`${PATHS.authorization}/${uid}`, addresses.issuer)
  const answer = await simulated(provider.callback(), { method: 'GET', url, headers: { cookie } })
  const location = locationOf(answer)
  if (location === null) throw refusedBy(answer)
  return location
}

/** The access that the client has from now on: an access token of the person that nobody has. */
async function storeAccess(
  { db, audit }: OauthContext,
  caller: Caller,
  { client_id, name, permissions }: { client_id: string; name: string; permissions: readonly string[] },
): Promise<string> {
  const token_id = newId('token')
  const now = Date.now()
  const expires_at = now + MCP_TOKEN_DAYS * DAY_MS
  await db.transaction(async (trx) => {
    await trx
      .insertInto('access_token')
      .values({
        token_id,
        user_id: caller.user_id,
        name,
        token_hash: tokenHash(newSecret(), 'mcp'),
        permissions: JSON.stringify(permissions),
        created_at: now,
        expires_at,
        last_used_at: null,
        audience: 'mcp',
        client_id,
      })
      .execute()
    const details = { name, client_id, permissions, expires_at: iso(expires_at) }
    await audit.record(trx, { actor: caller, action: 'oauth.granted', target: token_id, outcome: 'ok', details })
  })
  return token_id
}

/** Permissions that the client asks for by name, without what nobody knows. */
function subjectsOf(query: string): string[] {
  const asked = new URLSearchParams(query).get('scope')?.split(' ') ?? []
  const known = asked.filter((subject) => TokenScope.safeParse(subject).success)
  return [...new Set([...known, OAUTH_SCOPE])]
}

function paramsOf({ params }: Interaction) {
  return params as { readonly client_id: string; readonly redirect_uri: string }
}

/** What it calls itself: shown beside its host, and without what would make it look like something else. */
async function nameOf(provider: Provider, client_id: string): Promise<string> {
  const client = await provider.Client.find(client_id)
  return cut(storable(visible(client?.clientName ?? '')).trim(), NAME) || cut(hostOf(client_id) ?? client_id, NAME)
}

function locationOf({ status, headers }: SimulatedAnswer): string | null {
  return FOUND.includes(status) ? headers.get('location') : null
}

/** The client is unknown, or not the one whose address this is: nobody is sent there. */
function refusedBy({ status, body }: SimulatedAnswer): Error {
  if (status >= 500) return new Error(`The library failed: ${body}`)
  const { error, error_description } = JSON.parse(body) as { error?: string; error_description?: string }
  const why = `${error ?? status}: ${error_description ?? ''}`
  return new AppError('invalid_request', say`This program may not ask for access here (${why}). Tell an administrator.`)
}
