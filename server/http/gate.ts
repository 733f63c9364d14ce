import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Caller, Effect, Permission, Route } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { quoted, say } from '../kernel/sentence.ts'
import { readSessionCookie } from './request/cookie.ts'
import type { OriginRule } from './request/origin.ts'

export interface Credential {
  readonly kind: 'cookie' | 'bearer'
  readonly token: string
  /** Where it is presented; left out: at the interface. */
  readonly audience?: 'mcp'
}

/** What the gate must know about accounts. `accounts` implements it, `app` fills it. */
export interface Gate {
  /** The holder of this credential; null when it is unknown, expired, revoked or its user is disabled. */
  authenticate(credential: Credential): Promise<Caller | null>
  /**
   * Whose session or token is still valid, with the same role, of each of these in one query; unlike a request, this does
   * not count as activity.
   */
  stillValid(callers: readonly Caller[]): Promise<readonly boolean[]>
  /**
   * Calls `listener` whenever the caller's session or token may have ended, in whichever process, until the returned
   * function is called.
   */
  onDoubt(caller: Caller, listener: () => void): () => void
  /** The CSRF token of the caller's session. */
  csrfToken(caller: Caller): string
  /**
   * Effect of a permission for the caller, narrowed by a token's scope; `reason` is a sentence naming the deciding
   * rule.
   */
  permission(caller: Caller, permission: Permission): Promise<{ effect: Effect; reason: string }>
  /** @throws {AppError} sign_in_again unless the caller proved their identity a short while ago */
  requireFresh(caller: Caller): Promise<void>
  /** No user exists yet: every page leads to /setup. */
  setupNeeded(): Promise<boolean>
}

export interface Admitted {
  readonly caller: Caller | null
  readonly asks: readonly Permission[]
}
/** The visitor must sign in (or set up) first; only pages answer with this, JSON routes throw `not_signed_in`. */
export interface SentAway {
  readonly location: string
}

const NOTHING: readonly Permission[] = Object.freeze([])

/**
 * Determines the caller and whether they may proceed, before any of the request's body is read.
 * @throws {AppError} not_signed_in, csrf_mismatch, foreign_origin, forbidden, sign_in_again, approval_required
 */
export function openGate(gate: Gate, origin: OriginRule) {
  return async function admit(route: Route, request: FastifyRequest): Promise<Admitted | SentAway> {
    const credential = route.callerless === true ? null : credentialOf(route, request, origin)
    const caller = credential === null ? null : await whoAsks(gate, route, credential)
    if (caller === null && forBrowsers(route)) {
      const location = await wayIn(gate, route, request)
      if (location !== null) return { location }
    }
    if (caller === null && route.access !== 'public') {
      throw new AppError('not_signed_in', say`Sign in, or send a valid access token.`)
    }
    if (route.method !== 'GET') {
      if (caller !== null && credential?.kind === 'cookie' && route.access !== 'public')
        checkCsrf(gate.csrfToken(caller), request)
      if (origin.foreign(request) || (route.audience !== undefined && origin.misnamed(request))) {
        throw new AppError(
          'foreign_origin',
          say`This request came from another site. Open the service at its own address and try again.`,
        )
      }
    }
    if (route.access === 'admin' && caller?.admin !== true)
      throw new AppError('forbidden', say`Only an administrator may do this.`)
    if (caller?.kind === 'token' && route.access !== 'public') checkToken(route, caller)
    if (route.freshSignIn && caller !== null) await gate.requireFresh(caller)
    const asks =
      caller === null || route.permissions === undefined ? NOTHING : await checkPermissions(gate, route, caller)
    return { caller, asks }
  }
}

/** Whether people rather than programs follow links to this route: a page, or what leads to one. */
function forBrowsers({ response, access }: Route): boolean {
  return response.kind === 'page' || (response.kind === 'redirect' && access !== 'public')
}

/** Public routes stay reachable while the database is unavailable, so that its state can be queried. */
async function whoAsks(gate: Gate, route: Route, credential: Credential): Promise<Caller | null> {
  try {
    return await gate.authenticate(credential)
  } catch (error) {
    if (route.access === 'public') return null
    throw error
  }
}

/** A bearer token takes precedence over a cookie: only a script sends one deliberately, and it needs no CSRF token. */
function credentialOf({ audience }: Route, request: FastifyRequest, origin: OriginRule): Credential | null {
  const { authorization, cookie } = request.headers
  if (authorization !== undefined && authorization.slice(0, 7).toLowerCase() === 'bearer ') {
    return { kind: 'bearer', token: authorization.slice(7).trim(), ...(audience && { audience }) }
  }
  if (cookie === undefined || audience !== undefined) return null
  const token = readSessionCookie(cookie, origin.secure(request))
  return token === null ? null : { kind: 'cookie', token }
}

/** Where a page sends a visitor without a session, or null when they may see it. */
async function wayIn(gate: Gate, route: Route, request: FastifyRequest): Promise<string | null> {
  if (await gate.setupNeeded()) return route.path === '/setup' ? null : '/setup'
  if (route.access === 'public') return null
  const { url } = request
  const local = url.startsWith('/') && !url.startsWith('//')
  return local && url !== '/' ? `/login?next=${encodeURIComponent(url)}` : '/login'
}

function checkCsrf(expected: string, request: FastifyRequest): void {
  const given = request.headers['x-csrf-token']
  if (typeof given === 'string') {
    const a = Buffer.from(given)
    const b = Buffer.from(expected)
    if (b.length > 0 && a.length === b.length && timingSafeEqual(a, b)) return
  }
  throw new AppError('csrf_mismatch', say`The page is out of date. Reload it and try again.`)
}

/**
 * Refuses what no access token may do, and what this one does not cover; its permissions are checked along with its
 * owner's.
 */
function checkToken(route: Route, { scope }: Caller): void {
  if (route.sessionOnly || route.freshSignIn)
    throw new AppError('forbidden', say`An access token cannot do this. Sign in and do it there.`)
  if (scope === null) return
  const { tokenNeeds, permissions = NOTHING } = route
  if (tokenNeeds === undefined && permissions.length === 0)
    throw new AppError('forbidden', say`The access token is limited to some permissions, and this is not one of them.`)
  if (tokenNeeds !== undefined && !scope.includes(tokenNeeds))
    throw new AppError('forbidden', say`The access token does not cover ${tokenNeeds}.`)
}

/** Checks all of them before it answers: a denied permission outweighs one that asks. */
async function checkPermissions(gate: Gate, route: Route, caller: Caller): Promise<readonly Permission[]> {
  const asks: Permission[] = []
  let asking = ''
  for (const permission of route.permissions ?? NOTHING) {
    const { effect, reason } = await gate.permission(caller, permission)
    if (effect === 'deny') throw new AppError('forbidden', quoted(reason))
    if (effect === 'ask') {
      asks.push(permission)
      asking = reason
    }
  }
  const [first] = asks
  if (first === undefined) return NOTHING
  if (route.onAsk === 'card') return asks
  throw new AppError(
    'approval_required',
    say`${asking} This action cannot be approved one request at a time. An administrator can change the rule for ${first} of your role.`,
    { extra: { permission: first } },
  )
}
